// Twilio's IDs. Ours have at most 128 bits after the prefix, so each one is 32 hexadecimal digits and back, in the same
// order and without a table. Pure.

import { ID_LENGTH, type IdPrefix } from '../kit/ids.js'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HEX_LENGTH = 32
const SID = /^[A-Z]{2}([0-9a-fA-F]{32})$/
const NUMBER_SID = /^PN0{21}(1\d{10})$/

/** AC: account, SM and MM: message, MG: campaign, PA: a page of a list. */
export type SidPrefix = 'AC' | 'SM' | 'MM' | 'MG' | 'PA'

export function sidOf(prefix: SidPrefix, id: string): string {
  let bits = 0n
  for (const char of id.slice(-ID_LENGTH)) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(char))
  return prefix + bits.toString(16).padStart(HEX_LENGTH, '0')
}

/** Null if the text is not such a SID. */
export function idOfSid(prefix: IdPrefix, sids: readonly SidPrefix[], text: string): string | null {
  const hex = SID.exec(text)?.[1]
  if (hex === undefined || !sids.some((sid) => text.startsWith(sid))) return null
  let bits = BigInt(`0x${hex}`)
  let id = ''
  for (let i = 0; i < ID_LENGTH; i += 1) {
    id = ALPHABET[Number(bits & 31n)] + id
    bits >>= 5n
  }
  return `${prefix}_${id}`
}

export function accountSid(accountId: string): string {
  return sidOf('AC', accountId)
}

export function messageSid({ id, type }: { id: string; type: string }): string {
  return sidOf(type === 'MMS' ? 'MM' : 'SM', id)
}

/** Twilio's prefix depends on the type, so both are accepted for any message. */
export function messageIdOf(sid: string): string | null {
  return idOfSid('msg', ['SM', 'MM'], sid)
}

/** A campaign is a messaging service: it has the numbers, the keywords, and the registration. */
export function serviceSid(campaignId: string): string {
  return sidOf('MG', campaignId)
}

export function campaignIdOf(sid: string): string | null {
  return idOfSid('cmp', ['MG'], sid)
}

/** Numbers have no ID. The digits of a number are hexadecimal digits, too. */
export function numberSid(phoneNumber: string): string {
  return `PN${phoneNumber.slice(1).padStart(HEX_LENGTH, '0')}`
}

export function numberOfSid(sid: string): string | null {
  const digits = NUMBER_SID.exec(sid)?.[1]
  return digits === undefined ? null : `+${digits}`
}
