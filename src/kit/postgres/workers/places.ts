// Which worker of a Citus cluster has an account, without asking for each: Citus places an account by PostgreSQL's hash
// of its id, and tells which range of hashes is where. And which worker a statement may have to wait for.

import type { Statement } from '../sql.js'

export interface AccountRange {
  /** Of hashes, both included. */
  min: number
  max: number
  groupId: number
}

const ACCOUNT_ID = /^acc_[0-9a-z]{26}$/

/** The workers that a statement may have to wait for. */
export interface Place {
  groupIds: readonly number[]
  /** It names no account, and may reach all of them. */
  isSpread: boolean
}

/** A name where a statement reads or writes a table. */
const TABLE = /\b(?:from|join|into|update|using|table)\s+(?:only\s+)?(\w+)/gi
const NOWHERE: Place = { groupIds: [], isSpread: false }

export class Places {
  readonly #ranges: readonly AccountRange[]
  readonly #tables: ReadonlySet<string>
  /** Whether a statement reads or writes what is on workers, by its text. The texts are those of the program. */
  readonly #isDistributed = new Map<string, boolean>()
  readonly #all: Place

  constructor(ranges: readonly AccountRange[], tables: readonly string[]) {
    this.#ranges = ranges
    this.#tables = new Set(tables)
    const groupIds = [...new Set(ranges.map(({ groupId }) => groupId))].sort((a, b) => a - b)
    this.#all = { groupIds, isSpread: true }
  }

  get workers(): number {
    return this.#all.groupIds.length
  }

  /** Null where it is not the id of an account. */
  groupOf(accountId: string): number | null {
    if (!ACCOUNT_ID.test(accountId)) return null
    const hash = hashText(accountId)
    return this.#ranges.find(({ min, max }) => min <= hash && hash <= max)?.groupId ?? null
  }

  ofAccount(accountId: string): Place {
    const groupId = this.groupOf(accountId)
    return groupId === null ? NOWHERE : { groupIds: [groupId], isSpread: false }
  }

  of({ text, values }: Statement): Place {
    if (!this.#reachesWorkers(text)) return NOWHERE
    const groupIds = new Set<number>()
    for (const value of values.flatMap(accountIdsIn)) {
      const groupId = this.groupOf(value)
      if (groupId !== null) groupIds.add(groupId)
    }
    if (groupIds.size === 0) return this.#all
    return { groupIds: [...groupIds].sort((a, b) => a - b), isSpread: false }
  }

  #reachesWorkers(text: string): boolean {
    const cached = this.#isDistributed.get(text)
    if (cached !== undefined) return cached
    const names = [...text.matchAll(TABLE)].map(([, name]) => name!)
    const isDistributed = names.some((name) => this.#tables.has(name))
    this.#isDistributed.set(text, isDistributed)
    return isDistributed
  }
}

/** Statements over several accounts are given a list of them. */
function accountIdsIn(value: unknown): string[] {
  if (typeof value === 'string') return ACCOUNT_ID.test(value) ? [value] : []
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !ACCOUNT_ID.test(value[0])) return []
  return [...new Set(value as string[])]
}

/** PostgreSQL's hashtext(): Bob Jenkins' lookup3 over the bytes, as a signed integer. */
export function hashText(text: string): number {
  const bytes = Buffer.from(text, 'utf8')
  const state = new Uint32Array(3).fill(0x9e3779b9 + bytes.length + 3_923_095)
  let at = 0
  for (; bytes.length - at >= 12; at += 12) {
    for (let i = 0; i < 3; i += 1) state[i]! += bytes.readUInt32LE(at + 4 * i)
    mix(state)
  }
  for (let i = 0; at + i < bytes.length; i += 1) {
    // The lowest byte of the last word is left to the length.
    const shift = i < 8 ? i % 4 : (i % 4) + 1
    state[Math.floor(i / 4)]! += bytes[at + i]! << (8 * shift)
  }
  finish(state)
  return state[2]! | 0
}

const MIX = [4, 6, 8, 16, 19, 4]
const FINISH = [14, 11, 25, 16, 4, 14, 24]

function mix(state: Uint32Array): void {
  MIX.forEach((bits, i) => {
    const [a, b, c] = [i % 3, (i + 1) % 3, (i + 2) % 3] as [number, number, number]
    state[a]! -= state[c]!
    state[a]! ^= rotate(state[c]!, bits)
    state[c]! += state[b]!
  })
}

function finish(state: Uint32Array): void {
  FINISH.forEach((bits, i) => {
    const [to, from] = [(i + 2) % 3, (i + 1) % 3] as [number, number]
    state[to]! ^= state[from]!
    state[to]! -= rotate(state[from]!, bits)
  })
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
