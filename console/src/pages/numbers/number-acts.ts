// Actions on a number.

import { type ApiFailure, request } from '../../api/request'

export const digitsOf = (phone: string): string => phone.replace(/\D/g, '')

export const buyNumber = (campaign: string, number: string, key: string) =>
  request('POST /v1/number/buy', { body: { campaign, number }, key })

export const setForwarding = (phone: string, forwardNumber: string | null, key: string) =>
  request('PATCH /v1/number/{number}/forwarding', {
    path: { number: digitsOf(phone) },
    body: { forwardNumber },
    key,
  })

export const makeDefault = (phone: string, key: string) =>
  request('POST /v1/number/{number}/default', { path: { number: digitsOf(phone) }, key })

export const releaseNumber = (phone: string, key: string) =>
  request('DELETE /v1/number/{number}', { path: { number: digitsOf(phone) }, key })

/** The API's error for a field, to show below it. Null: none. */
export function fieldSentence(
  { status, details, message }: ApiFailure,
  field: string,
): string | null {
  if (status !== 400 || details.some((one) => one.field !== field)) return null
  const problem = details[0]?.problem ?? message
  const whole = problem.startsWith('must') ? `The number ${problem}` : problem
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}
