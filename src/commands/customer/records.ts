// Lists and single records of the API, as tables and as lines of names and values.

import { readWhole } from '../command.js'
import type { Output } from '../output.js'
import { type ClientOptions, createServiceClient } from '../service-client.js'

export type ApiRecord = Record<string, unknown>

export interface ListOptions extends ClientOptions {
  limit: string
}

interface ListRequest {
  path: string
  /** The field of the reply that has the rows. */
  field: string
  columns: readonly string[]
  query?: Record<string, string | undefined>
}

/** Shows one page, and reports if there are more rows. */
export async function showList(
  out: Output,
  options: ListOptions,
  { path, field, columns, query = {} }: ListRequest,
): Promise<void> {
  const limit = readWhole('--limit', options.limit, 1)
  const parameters = new URLSearchParams({ limit: String(limit) })
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value)
  const reply = await createServiceClient(options).call('GET', `${path}?${parameters}`)
  const rows = reply[field] as ApiRecord[]
  out.json(rows)
  out.table(rows, columns)
  if (reply.hasMore === true) out.note(`There are more. Use a --limit above ${limit}.`)
}

export async function showRecord(
  out: Output,
  options: ClientOptions,
  path: string,
  field: string,
): Promise<void> {
  const reply = await createServiceClient(options).call('GET', path)
  sayRecord(out, reply[field] as ApiRecord)
}

/** Empty values are left out; inner objects are flattened into names such as `address.city`. */
export function sayRecord(out: Output, record: ApiRecord): void {
  out.json(record)
  for (const [name, value] of flatten(record)) out.say(`${name.padEnd(20)} ${value}`)
}

function flatten(record: ApiRecord, prefix = ''): [string, string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === '' || (Array.isArray(value) && value.length === 0)) return []
    if (Array.isArray(value)) return [[prefix + name, value.map(itemText).join(', ')]]
    if (typeof value === 'object') return flatten(value as ApiRecord, `${prefix}${name}.`)
    return [[prefix + name, String(value)]]
  })
}

function itemText(item: unknown): string {
  return typeof item === 'object' ? JSON.stringify(item) : String(item)
}

export function pathTo(...parts: readonly string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`
}

/** A list from one option, separated by commas. */
export function readList(text: string | undefined): string[] | undefined {
  return text?.split(',').map((item) => item.trim())
}
