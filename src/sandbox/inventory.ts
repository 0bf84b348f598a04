// The numbers for sale in the sandbox: invented, plausible, and the same on every machine. Pure. The caller writes
// them to the inventory once.

import { MICROS_PER_CENT } from '../kit/money.js'
import { AREA_CODES } from '../numbers/area-codes.js'
import type { InventoryNumber } from '../numbers/number.js'

// Sold out on purpose, so a search shows what "nearby" does: overlays of the same city (212, 310, 416) and the next
// state (307). Nothing is near 907.
export const SOLD_OUT_AREA_CODES: ReadonlySet<string> = new Set(['212', '307', '310', '416', '907'])

// Opened so recently that libphonenumber 1.13, which many customers use to check numbers, still considers every
// number in them invalid. They have no numbers until it knows them.
export const UNLISTED_AREA_CODES: ReadonlySet<string> = new Set(
  '357 436 457 465 471 483 621 624 679 729 837 861 924'.split(' '),
)

// The territories use few exchanges, and only numbers in those exist.
const FEW_EXCHANGES: Readonly<Record<string, readonly number[]>> = {
  340: [226, 227, 244, 249, 332, 344, 423, 473, 513, 626, 642, 690, 712, 719, 772, 777, 779],
  670: [233, 234, 235, 236, 256, 285, 287, 322, 323, 433, 483, 532, 664, 783, 789, 838, 989],
  671: [300, 472, 475, 477, 565, 632, 637, 646, 647, 649, 687, 734, 777, 788, 828, 864, 888],
  684: [252, 254, 256, 258, 272, 274, 622, 633, 644, 655, 677, 688, 699, 731, 733, 770, 782],
}

const ORDINARY_PRICE = 100n * MICROS_PER_CENT
const PRETTY_PRICE = 150n * MICROS_PER_CENT
const PRECIOUS_PRICE = 200n * MICROS_PER_CENT

// With the three memorable ones this makes 20 in each area code: enough to page through.
const ORDINARY_COUNT = 17

// Listed only so buying one is refused. These are reserved for fiction, which in ordinary area codes would clash
// with the simulated recipients.
const TOLL_FREE_NUMBERS = [
  '+18005550142',
  '+18335550167',
  '+18445550123',
  '+18665550188',
  '+18885550104',
]

export function* inventoryNumbers(): Iterable<Omit<InventoryNumber, 'hosts'>> {
  for (const { code, location } of AREA_CODES) {
    if (SOLD_OUT_AREA_CODES.has(code) || UNLISTED_AREA_CODES.has(code)) continue
    for (const { local, price } of localNumbers(code)) {
      yield { number: `+1${code}${local}`, areaCode: code, location, monthlyPriceMicros: price }
    }
  }
  for (const number of TOLL_FREE_NUMBERS) {
    const areaCode = number.slice(2, 5)
    yield { number, areaCode, location: 'Toll-free', monthlyPriceMicros: PRECIOUS_PRICE }
  }
}

function* localNumbers(code: string): Iterable<{ local: string; price: bigint }> {
  const draw = seededDraw(Number(code))
  const step = Math.floor(9000 / ORDINARY_COUNT)
  for (let i = 0; i < ORDINARY_COUNT; i++) {
    // One line number from each slice of 1000 to 9999, so the list does not look like a block.
    const line = 1000 + i * step + draw(step)
    yield { local: `${drawExchange(code, draw)}${line}`, price: ORDINARY_PRICE }
  }
  const [a, b, c] = [2 + draw(8), draw(10), 2 + draw(8)]
  yield { local: `${drawExchange(code, draw)}${a}${b}${a}${b}`, price: PRETTY_PRICE }
  yield { local: `${drawExchange(code, draw)}${c}000`, price: PRETTY_PRICE }
  yield { local: `${drawExchange(code, draw)}${`${a}`.repeat(4)}`, price: PRECIOUS_PRICE }
}

function drawExchange(code: string, draw: (below: number) => number): number {
  const few = FEW_EXCHANGES[code]
  if (few) return few[draw(few.length)]!
  for (;;) {
    const exchange = 200 + draw(800)
    if (isOrdinaryExchange(exchange, code)) return exchange
  }
}

/** Leaves out N11 (services), 555 (directory, fiction), 950 and 976 (special), and look-alikes. */
function isOrdinaryExchange(exchange: number, code: string): boolean {
  if (exchange % 100 === 11 || [555, 950, 976].includes(exchange)) return false
  if (code === '983' && Math.floor(exchange / 100) === 6) return false // not opened yet
  return String(exchange) !== code
}

/** A small deterministic generator (mulberry32): the same seed gives the same numbers everywhere. */
function seededDraw(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
