// What the codes of a provider mean for a message. Each provider has a table, made from what it publishes. Providers
// change and add codes: a code that is in no table is 1499, is counted, and appears in the message's timeline as it came.

import { type ErrorCode, MESSAGE_ERRORS } from '../../messages/message-errors.js'

/**
 * A number is why the message failed. `throttled`: not accepted, and welcome later. `sender`: the provider refuses the
 * number that it is from; messages from others may continue. `fault`: something of the host's is wrong, such as the key or
 * the balance. No customer's message fails because of it: the link goes down and reports why.
 */
export type CodeMeaning = ErrorCode | 'throttled' | 'sender' | 'fault'

export interface ProviderCodes {
  /** Null: nobody has explained it yet. */
  meaningOf: (code: string) => CodeMeaning | null
  /** Of a receipt, which comes when the message is gone: nothing can wait or be requeued any more. */
  failureOf: (code: string) => ErrorCode
  /** The provider promises that nothing it refuses, with any status, is sent or billed. Others promise nothing of a 5xx. */
  isRefusedNeverSent: boolean
}

export function defineCodes(
  codes: Partial<Record<CodeMeaning, readonly string[]>>,
  { isRefusedNeverSent = false } = {},
): ProviderCodes {
  const meanings = new Map(
    Object.entries(codes).flatMap(([key, list]) => {
      const meaning = (Object.hasOwn(MESSAGE_ERRORS, key) ? Number(key) : key) as CodeMeaning
      return list.map((code): [string, CodeMeaning] => [code, meaning])
    }),
  )
  const meaningOf = (code: string) => meanings.get(code) ?? null
  return {
    meaningOf,
    failureOf: (code) => {
      const meaning = meaningOf(code) ?? 1499
      if (meaning === 'sender') return SENDER_REFUSED
      return typeof meaning === 'number' ? meaning : 1375
    },
    isRefusedNeverSent,
  }
}

/** The carrier refuses the number that the message is from. */
export const SENDER_REFUSED: ErrorCode = 1345
