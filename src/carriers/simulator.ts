// The simulated carrier of the sandbox: what becomes of a message is the recipient's magic to say.

import type { Log } from '../kit/log.js'
import type {
  Carrier,
  CarrierListener,
  Network,
  Receipt,
  Submission,
} from '../messages/carrier-port.js'
import { behaviourOf } from './magic-recipients.js'

const NAME = 'simulator'
const SUBMIT_MS = 5
const RECEIPT_MS = 50

/** The last digit names the network: 0 to 3 AT&T, 4 to 6 T-Mobile, 7 to 9 Verizon. */
export function networkOf(to: string): Network {
  const digit = to.charCodeAt(to.length - 1) - 48
  if (digit <= 3) return 'att'
  return digit <= 6 ? 'tmo' : 'vzw'
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
