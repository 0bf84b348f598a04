// The simulated carrier of the sandbox: what becomes of a message is the recipient's magic to say.

import type { Log } from '../kit/log.js'
import {
  type Carrier,
  type Network,
  permitFor,
  type Receipt,
  type Submission,
  type SubmitAnswer,
} from '../messages/carrier-port.js'
import { behaviourOf } from './magic-recipients.js'
import { SimulatedReceipts } from './simulated-receipts.js'

const NAME = 'simulator'
const SUBMIT_MS = 5

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
  const receipts = new SimulatedReceipts(log)
  return {
    name: NAME,
    isSimulated: true,
    networkOf,
    submit: async (submissions) => {
      const permits = await Promise.all(submissions.map((one) => permitFor(one, NAME)))
      await new Promise<void>((resolve) => setTimeout(resolve, SUBMIT_MS))
      const sent: Receipt[][] = []
      const answers = submissions.map((submission, i): SubmitAnswer => {
        if (permits[i] === null) return { kind: 'missedWindow' }
        const fate = behaviourOf(submission.to)(submission.attempt)
        sent.push(receiptsOf(submission, fate.receipts))
        return fate.answer
      })
      receipts.send(sent)
      return answers
    },
    resume: (submissions) => {
      receipts.send(
        submissions.map((s) => receiptsOf(s, behaviourOf(s.to)(ANY_LATER_ATTEMPT).receipts)),
      )
    },
    start: async (listener) => receipts.start(listener),
    stop: () => receipts.stop(),
  }
}

const ANY_LATER_ATTEMPT = 99

function receiptsOf(
  { accountId, messageId }: Pick<Submission, 'accountId' | 'messageId'>,
  receipts: readonly Pick<Receipt, 'status' | 'errorCode'>[],
): Receipt[] {
  return receipts.map((receipt) => ({ link: NAME, of: { accountId, messageId }, ...receipt }))
}
