// The planted faults: patches of src, each with one line that describes it and the kinds of findings that show it.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Patch, readPatch } from './patch.js'

export interface PlantedFault extends Patch {
  /** Its number and name, such as 01-double-refund. */
  name: string
}

const FOLDER = import.meta.dirname

export function listFaults(): PlantedFault[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => ({
      ...readPatch(readFileSync(path.join(FOLDER, file), 'utf8')),
      name: file.replace(/\.patch$/, ''),
    }))
}

/** Faults that are planted together. Each must be found. */
export type Group = readonly PlantedFault[]

/**
 * `all`, `random:5` (of those that were measured), or numbers such as `7,12`. `7+12` plants both at once. Throws a
 * sentence if there is no such fault.
 */
export function chooseFaults(text: string, pickIndex: (count: number) => number): Group[] {
  const all = listFaults()
  if (text === 'all') return all.map((one) => [one])
  const count = /^random:(\d{1,2})$/.exec(text)?.[1]
  if (count !== undefined) {
    const left = all.filter(({ seconds }) => seconds !== null)
    const chosen = Array.from({ length: Math.min(Number(count), left.length) }, () =>
      left.splice(pickIndex(left.length), 1),
    )
    return chosen.sort(([a], [b]) => (a!.name < b!.name ? -1 : 1))
  }
  const find = (number: string) => {
    const found = all.find(({ name }) => Number(name.slice(0, 2)) === Number(number))
    if (found) return found
    throw new Error(`There is no planted fault ${number}: there are 1 to ${all.length}.`)
  }
  return text.split(',').map((numbers) => numbers.split('+').map(find))
}
