// Recipients in 555-01xx are magic: their last four digits say what happens (decisions.md, Sandbox); every
// other number takes its message and delivers it. The simulator and our own SMSC play by this table.

import type { Receipt, SubmitAnswer } from '../messages/carrier-port.js'

type Behaviour = (attempt: number) => {
  answer: Extract<SubmitAnswer, { kind: 'sent' | 'slow_down' | 'failed' }>
  receipts: readonly Pick<Receipt, 'status' | 'errorCode'>[]
}

const SENT = { kind: 'sent' } as const
const SLOW_DOWN = { kind: 'slow_down' } as const
const DELIVERED = { status: 'DELIVERED', errorCode: null } as const
const READ = { status: 'READ', errorCode: null } as const

const delivers: Behaviour = () => ({ answer: SENT, receipts: [DELIVERED] })
const fails =
  (errorCode: number): Behaviour =>
  () => ({ answer: { kind: 'failed', errorCode }, receipts: [] })

const MAGIC: Record<string, Behaviour> = {
  '0110': fails(1350),
  '0120': fails(1360),
  '0130': fails(1320),
  '0140': (attempt) => (attempt <= 2 ? { answer: SLOW_DOWN, receipts: [] } : delivers(attempt)),
  '0150': () => ({ answer: SENT, receipts: [] }),
  '0160': () => ({ answer: SLOW_DOWN, receipts: [] }),
  '0170': () => ({ answer: SENT, receipts: [DELIVERED, READ] }),
  '0180': fails(1370),
}

/** Null: no magic, it takes its message and delivers it. */
export function magicOf(to: string): Behaviour | null {
  return to.slice(5, 10) === '55501' ? (MAGIC[to.slice(-4)] ?? null) : null
}

export function behaviourOf(to: string): Behaviour {
  return magicOf(to) ?? delivers
}
