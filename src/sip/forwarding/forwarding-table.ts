// Numbers, their targets, and their owners in memory: three arrays with open addressing. A +1 number is stored as its ten
// digits, so an entry takes 20 bytes and 200,000 numbers take 10 MiB. A Map of strings takes six times that.

import { isE164 } from '../../text/phone-number.js'

const SMALLEST = 1024
const FULLEST = 0.6
/** In both arrays: no number, no target. Numbers are stored as their ten digits plus 1. */
const NOTHING = 0

export class ForwardingTable {
  #keys = new Float64Array(SMALLEST)
  #targets = new Float64Array(SMALLEST)
  /** The account that holds the number, as a small index from the caller. */
  #owners = new Uint32Array(SMALLEST)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Size in memory. */
  get bytes(): number {
    return this.#keys.byteLength + this.#targets.byteLength + this.#owners.byteLength
  }

  /** Undefined: not there. Null: there, without forwarding. */
  get(number: string): string | null | undefined {
    const key = toKey(number)
    if (key === NOTHING) return undefined
    const slot = this.#slotOf(key)
    if (this.#keys[slot] === NOTHING) return undefined
    return toNumber(this.#targets[slot]!)
  }

  /** 0 if the number is not in the table. */
  ownerOf(number: string): number {
    const key = toKey(number)
    if (key === NOTHING) return 0
    const slot = this.#slotOf(key)
    return this.#keys[slot] === NOTHING ? 0 : this.#owners[slot]!
  }

  /**
   * False if it could not be stored completely: only +1 numbers can. A number with another target is stored without
   * forwarding.
   */
  set(number: string, target: string | null, owner = 0): boolean {
    const key = toKey(number)
    if (key === NOTHING) return false
    const value = target === null ? NOTHING : toKey(target)
    if (this.#size + 1 > this.#keys.length * FULLEST) this.#grow()
    const slot = this.#slotOf(key)
    if (this.#keys[slot] === NOTHING) this.#size += 1
    this.#keys[slot] = key
    this.#targets[slot] = value
    this.#owners[slot] = owner
    return target === null || value !== NOTHING
  }

  /** Whether it was there. */
  delete(number: string): boolean {
    const key = toKey(number)
    const slot = this.#slotOf(key)
    if (key === NOTHING || this.#keys[slot] === NOTHING) return false
    this.#size -= 1
    this.#close(slot)
    return true
  }

  /** All numbers, in no particular order. */
  *numbers(): Generator<string> {
    for (const key of this.#keys) if (key !== NOTHING) yield toNumber(key)!
  }

  /** Moves up entries that could not be found after an empty slot. */
  #close(empty: number): void {
    const mask = this.#keys.length - 1
    let hole = empty
    for (let at = (hole + 1) & mask; this.#keys[at] !== NOTHING; at = (at + 1) & mask) {
      const home = hashOf(this.#keys[at]!) & mask
      if (((at - home) & mask) < ((at - hole) & mask)) continue
      this.#keys[hole] = this.#keys[at]!
      this.#targets[hole] = this.#targets[at]!
      this.#owners[hole] = this.#owners[at]!
      hole = at
    }
    this.#keys[hole] = NOTHING
    this.#targets[hole] = NOTHING
    this.#owners[hole] = 0
  }

  #grow(): void {
    const keys = this.#keys
    const targets = this.#targets
    const owners = this.#owners
    this.#keys = new Float64Array(keys.length * 2)
    this.#targets = new Float64Array(keys.length * 2)
    this.#owners = new Uint32Array(keys.length * 2)
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === NOTHING) continue
      const slot = this.#slotOf(keys[i]!)
      this.#keys[slot] = keys[i]!
      this.#targets[slot] = targets[i]!
      this.#owners[slot] = owners[i]!
    }
  }

  /** The slot of the key, or where it would be. */
  #slotOf(key: number): number {
    const mask = this.#keys.length - 1
    let slot = hashOf(key) & mask
    while (this.#keys[slot] !== NOTHING && this.#keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }
}

function toKey(e164: string): number {
  return isE164(e164) ? Number(e164.slice(2)) + 1 : NOTHING
}

/** In two halves: formatting a ten-digit integer is slow. */
function toNumber(key: number): string | null {
  if (key === NOTHING) return null
  const high = Math.floor((key - 1) / 100_000)
  const low = key - 1 - high * 100_000
  return `+1${String(high).padStart(5, '0')}${String(low).padStart(5, '0')}`
}

/** Numbers are often consecutive; mixing spreads them. */
function hashOf(key: number): number {
  const high = Math.floor(key / 2 ** 32)
  let mixed = Math.imul((key >>> 0) ^ Math.imul(high + 1, 0x9e3779b1), 0x85ebca6b)
  mixed ^= mixed >>> 15
  mixed = Math.imul(mixed, 0xc2b2ae35)
  return (mixed ^ (mixed >>> 13)) >>> 0
}
