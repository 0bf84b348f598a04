// The rules of the contract that the judge compares outcomes with. They are written here a second time on purpose: the
// judge imports nothing from src, so a wrong rule there cannot hide itself.

export const EVENT_TYPES = ['message.incoming', 'message.status', 'recipient.optout']

export const SMS_PRICE_MICROS = 7_900n

const MOVES: Readonly<Record<string, readonly string[]>> = {
  SCHEDULED: ['QUEUED', 'FAILED'],
  QUEUED: ['SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
}

export function mayMove(source: string, target: string): boolean {
  return MOVES[source]?.includes(target) ?? false
}

export const FINAL: ReadonlySet<string> = new Set(['DELIVERED', 'READ', 'FAILED', 'EXPIRED'])

/** Failures that cost the price if the carrier accepted the message and reported them in a receipt. */
const CHARGED_IN_RECEIPTS: ReadonlySet<number> = new Set([1320, 1370, 1375, 1380, 1499])

/** Whether a failure that a receipt reports is charged. One that was not accepted never is. */
export function isChargedInReceipt(code: number): boolean {
  return CHARGED_IN_RECEIPTS.has(code)
}

export const CODE = {
  dailyCap: 1320,
  optedOut: 1330,
  invalid: 1350,
  landline: 1360,
  filtered: 1370,
  refused: 1375,
  unreachable: 1380,
  expired: 1400,
  canceled: 1410,
  unknown: 1499,
} as const

const PACIFIC = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles' })

/** T-Mobile counts by day in Pacific time. */
export function pacificDay(ms: number): string {
  return PACIFIC.format(ms)
}

export interface Simulated {
  status: 'DELIVERED' | 'READ' | 'SENT' | 'FAILED' | 'EXPIRED'
  code: number | null
}

const failed = (code: number): Simulated => ({ status: 'FAILED', code })

/** What the simulator does, by the last digits of a number in 555-01xx. */
const SIMULATED: Readonly<Record<string, Simulated>> = {
  '0110': failed(CODE.invalid),
  '0120': failed(CODE.landline),
  '0130': failed(CODE.dailyCap),
  '0150': { status: 'SENT', code: null },
  '0160': { status: 'EXPIRED', code: CODE.expired },
  '0170': { status: 'READ', code: null },
  '0180': failed(CODE.filtered),
}

export function simulatedOf(to: string): Simulated {
  const magic = to.slice(5, 10) === '55501' ? SIMULATED[to.slice(-4)] : undefined
  return magic ?? { status: 'DELIVERED', code: null }
}
