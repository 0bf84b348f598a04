// Phone numbers in SMPP's form: digits with a type of number and a numbering plan.

export interface Address {
  ton: number
  npi: number
  digits: string
}

export const INTERNATIONAL = 1
const NETWORK_SPECIFIC = 3
const ALPHANUMERIC = 5
const UNKNOWN = 0
const ISDN = 1

/** Shorter numbers are short codes, which have no country. */
const SHORT_CODE_MAX = 8

/** A phone number in E.164, a short code, or a name. */
export function addressOf(sender: string): Address {
  if (/^\+\d+$/.test(sender)) return { ton: INTERNATIONAL, npi: ISDN, digits: sender.slice(1) }
  if (!/^\d+$/.test(sender)) return { ton: ALPHANUMERIC, npi: UNKNOWN, digits: sender }
  return sender.length <= SHORT_CODE_MAX
    ? { ton: NETWORK_SPECIFIC, npi: UNKNOWN, digits: sender }
    : { ton: INTERNATIONAL, npi: ISDN, digits: sender }
}

/**
 * Converts an address to E.164, whatever type the peer declared: with a plus, without, with an exit code, or
 * national digits of North America. Short codes and names stay as they are.
 */
export function numberOf({ ton, digits }: Address): string {
  const bare = digits.replace(/^\+/, '').replace(/^(?:011|00)(?=[1-9]\d{9})/, '')
  if (ton === ALPHANUMERIC || !/^\d+$/.test(bare) || bare.length <= SHORT_CODE_MAX) return digits
  const isNational = bare.length === 10 && ton !== INTERNATIONAL && !digits.startsWith('+')
  return isNational ? `+1${bare}` : `+${bare}`
}

/** The address fields of a message from one number to another. */
export function addressFields(from: string, to: string) {
  const [source, destination] = [addressOf(from), addressOf(to)]
  return {
    sourceAddrTon: source.ton,
    sourceAddrNpi: source.npi,
    sourceAddr: source.digits,
    destAddrTon: destination.ton,
    destAddrNpi: destination.npi,
    destinationAddr: destination.digits,
  }
}
