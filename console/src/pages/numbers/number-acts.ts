// What can be done with a number of the account.

import { type ApiFailure, call } from '../../api/call'

export const digitsOf = (phone: string): string => phone.replace(/\D/g, '')

export const buyNumber = (campaign: string, number: string, key: string) =>
  call<{ number: { phoneNumber: string }; charged: number }>('POST', '/v1/number/buy', {
    body: { campaign, number },
    idempotencyKey: key,
  })

export const setForwarding = (phone: string, forwardNumber: string | null, key: string) =>
  call('PATCH', `/v1/number/${digitsOf(phone)}/forwarding`, {
    body: { forwardNumber },
    idempotencyKey: key,
  })

export const makeDefault = (phone: string, key: string) =>
  call('POST', `/v1/number/${digitsOf(phone)}/default`, { idempotencyKey: key })

export const releaseNumber = (phone: string, key: string) =>
  call('DELETE', `/v1/number/${digitsOf(phone)}`, { idempotencyKey: key })

/** What the API says against a field, to stand under it; null where it says nothing of it. */
export function fieldSentence(
  { status, details, message }: ApiFailure,
  field: string,
): string | null {
  if (status !== 400 || details.some((one) => one.field !== field)) return null
  const problem = details[0]?.problem ?? message
  const whole = problem.startsWith('must') ? `The number ${problem}` : problem
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}
