// The simulated carrier of the sandbox. Recipients in 555-01xx are magic: their last four digits say
// what happens (decisions.md, Sandbox); every other number takes its message and delivers it.

import type { Log } from '../kit/log.js'
import type {
  Carrier,
  CarrierListener,
  Network,
  Receipt,
  Submission,
  SubmitAnswer,
} from '../messages/carrier-port.js'

const NAME = 'simulator'
const SUBMIT_MS = 5
const RECEIPT_MS = 50

type Behaviour = (attempt: number) => {
  answer: SubmitAnswer
  receipts: readonly Pick<Receipt, 'status' | 'errorCode'>[]
}

const SENT: SubmitAnswer = { kind: 'sent' }
const SLOW_DOWN: SubmitAnswer = { kind: 'slow_down' }
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

/** The last digit names the network: 0 to 3 AT&T, 4 to 6 T-Mobile, 7 to 9 Verizon. */
export function networkOf(to: string): Network {
  const digit = to.charCodeAt(to.length - 1) - 48
  if (digit <= 3) return 'att'
  return digit <= 6 ? 'tmo' : 'vzw'
}

function behaviourOf(to: string): Behaviour {
  if (to.slice(5, 10) !== '55501') return delivers
  return MAGIC[to.slice(-4)] ?? delivers
}

export interface Simulator extends Carrier {
  /** Sends the receipts of messages that were taken before the process last stopped. */
  resume: (submissions: readonly Pick<Submission, 'accountId' | 'messageId' | 'to'>[]) => void
}

export function createSimulator(log: Log): Simulator {
  let listener: CarrierListener | null = null
  let isStopped = false
  const timers = new Set<NodeJS.Timeout>()

  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (!isStopped) work()
    }, ms)
    timers.add(timer)
  }

  const sendReceipts = (batch: readonly Receipt[][]): void => {
    const next = batch.flatMap(([first]) => first ?? [])
    if (next.length === 0) return
    later(RECEIPT_MS, () => {
      for (const receipt of next) {
        listener?.receipt(receipt).catch((error) => log.error({ err: error }, 'receipt not kept'))
      }
      sendReceipts(batch.map((receipts) => receipts.slice(1)))
    })
  }

  return {
    name: NAME,
    isSimulated: true,
    networkOf,
    submit: async (submissions) => {
      await new Promise<void>((resolve) => setTimeout(resolve, SUBMIT_MS))
      const fates = submissions.map(({ to, attempt }) => behaviourOf(to)(attempt))
      sendReceipts(submissions.map((submission, i) => receiptsOf(submission, fates[i]!.receipts)))
      return fates.map((fate) => fate.answer)
    },
    resume: (submissions) => {
      sendReceipts(
        submissions.map((s) => receiptsOf(s, behaviourOf(s.to)(ANY_LATER_ATTEMPT).receipts)),
      )
    },
    start: async (given) => {
      listener = given
    },
    stop: async () => {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

const ANY_LATER_ATTEMPT = 99

function receiptsOf(
  { accountId, messageId }: Pick<Submission, 'accountId' | 'messageId'>,
  receipts: readonly Pick<Receipt, 'status' | 'errorCode'>[],
): Receipt[] {
  return receipts.map((receipt) => ({ link: NAME, of: { accountId, messageId }, ...receipt }))
}
