// What the codes of providers behind HTTP APIs mean for a message: one table for each, from what they publish. They
// say themselves that codes change and come anew: what is not in a table is 1499, is counted, and stands in the
// message's timeline as it came.

import { type ErrorCode, MESSAGE_ERRORS } from '../../messages/message-errors.js'

/**
 * A number is why the message failed. `slow_down`: not accepted, and welcome later. `sender`: the provider refuses the
 * number that it is from, and others may go on. `fault`: something of the host's own is wrong, such as the key or the
 * balance there: no customer's message fails because of it, the link goes down and reports why.
 */
export type CodeMeaning = ErrorCode | 'slow_down' | 'sender' | 'fault'
type Codes = Partial<Record<CodeMeaning, readonly string[]>>

export type ProviderName = 'telnyx' | 'bandwidth' | 'twilio'

const CODES: Record<ProviderName, Codes> = {
  telnyx: {
    1320: ['40016'],
    1330: ['40300'],
    1340: ['40010'],
    1350: ['10002', '40001', '40012', '40310'],
    1370: ['40002', '40003', '40015', '40017', '40322'],
    1375: ['40004', '40008', '40009'],
    1380: ['40006'],
    1390: ['40302', '40319'],
    1391: ['40317'],
    1400: ['40005', '40014'],
    1499: ['10007'],
    slow_down: ['10011', '40011', '40018', '40318'],
    sender: ['40013', '40305', '40308', '40312', '40313', '40314', '40315', '40321', '40329'],
    fault: ['10009', '10010', '10039', '20100'],
  },
  bandwidth: {
    1320: ['4780'],
    1330: ['4482', '4775'],
    1340: ['4773', '4774'],
    1350: ['4303', '4350', '4404', '4406', '4720', '4721'],
    1370: ['4470', '4481', '4770', '4771', '4772'],
    1375: ['4700', '4730', '4750', '4751', '4752', '4753'],
    1380: ['4701', '4702'],
    1390: ['4410'],
    1391: ['4411', '4711'],
    1392: ['4412', '4712'],
    1400: ['4360', '5106', '5201'],
    1499: ['9999'],
    slow_down: ['4781', '4785'],
    sender: ['4302', '4403', '4405', '4407', '4433', '4452', '4795'],
    fault: ['4451', '4493'],
  },
  twilio: {
    1320: ['30023', '30027'],
    1330: ['21610'],
    1340: ['30033', '30034', '30035'],
    1350: ['21211', '21217', '21265', '30005'],
    1360: ['21614', '30006'],
    1370: ['30007'],
    1375: ['21617', '30004'],
    1380: ['30003'],
    1390: ['11200', '21620'],
    1391: ['30019'],
    1392: ['12300', '30011'],
    1400: ['30001', '30036'],
    1499: ['30008'],
    slow_down: ['20429', '21611', '30022', '60728', '63017', '63038'],
    sender: ['21212', '21606', '21659', '21660', '21661', '21703', '30032'],
    fault: ['20003', '20005', '30002'],
  },
}

const MEANINGS = Object.fromEntries(
  Object.entries(CODES).map(([name, codes]) => [name, meaningsOf(codes)]),
) as Record<ProviderName, ReadonlyMap<string, CodeMeaning>>

function meaningsOf(codes: Codes): ReadonlyMap<string, CodeMeaning> {
  return new Map(
    Object.entries(codes).flatMap(([key, given]) => {
      const meaning = (Object.hasOwn(MESSAGE_ERRORS, key) ? Number(key) : key) as CodeMeaning
      return given.map((code): [string, CodeMeaning] => [code, meaning])
    }),
  )
}

/** Null: nobody has explained it yet. */
export function meaningOf(provider: ProviderName, code: string): CodeMeaning | null {
  return MEANINGS[provider].get(code) ?? null
}

/** The carrier refuses the number that the message is from. */
export const SENDER_REFUSED: ErrorCode = 1345

/** Of a receipt, which comes when the message is gone: nothing can wait or be put back any more. */
export function failureOf(provider: ProviderName, code: string): ErrorCode {
  const meaning = meaningOf(provider, code) ?? 1499
  if (meaning === 'sender') return SENDER_REFUSED
  return typeof meaning === 'number' ? meaning : 1375
}

/** What each calls itself, and what it calls the place that holds numbers and their webhook. */
export const WORDS: Record<ProviderName, { title: string; container: string }> = {
  telnyx: { title: 'Telnyx', container: 'messaging profile' },
  bandwidth: { title: 'Bandwidth', container: 'application' },
  twilio: { title: 'Twilio', container: 'messaging service' },
}
