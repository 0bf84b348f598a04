// Twilio's IDs. Ours have at most 128 bits after the prefix, so each one is 32 hexadecimal digits and back, in the same
// order and without a table. Pure.

import { ID_LENGTH, type IdPrefix } from '../kit/ids.js'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const HEX = '0123456789abcdef'
const HEX_LENGTH = 32
const SID = /^[A-Z]{2}([0-9a-fA-F]{32})$/
const NUMBER_SID = /^PN0{21}(1\d{10})$/

/** AC: account, SM and MM: message, MG: campaign, PA: a page of a list. */
export type SidPrefix = 'AC' | 'SM' | 'MM' | 'MG' | 'PA'

export function sidOf(prefix: SidPrefix, id: string): string {
  let hex = ''
  let [bits, count] = [0, 0]
  for (let at = id.length - 1; at >= id.length - ID_LENGTH; at -= 1) {
    bits |= ALPHABET.indexOf(id[at]!) << count
    for (count += 5; count >= 4; count -= 4) {
      hex = HEX[bits & 15]! + hex
      bits >>= 4
    }
  }
  return prefix + hex // the first two of 130 bits are never used
}

/** Null if the text is not such a SID. */
export function idOfSid(prefix: IdPrefix, sids: readonly SidPrefix[], text: string): string | null {
  const hex = SID.exec(text)?.[1]
  if (hex === undefined || !sids.some((sid) => text.startsWith(sid))) return null
  let id = ''
  let [bits, count] = [0, 0]
  for (let at = HEX_LENGTH - 1; at >= 0; at -= 1) {
    bits |= Number.parseInt(hex[at]!, 16) << count
    count += 4
    if (count < 5) continue
    id = ALPHABET[bits & 31]! + id
    bits >>= 5
    count -= 5
  }
  return `${prefix}_${ALPHABET[bits]}${id}`
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
