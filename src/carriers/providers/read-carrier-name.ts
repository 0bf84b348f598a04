// Which network a provider means by the name it gives a phone's carrier. Names are long and change ("AT&T Mobility
// LLC", "T-MOBILE USA, INC."): what is looked for is the brand in them.

import type { PhoneFacts } from '../../messages/carrier-port.js'

const BRANDS = [
  { network: 'att', pattern: /\bAT ?& ?T\b|\bcingular\b/i },
  { network: 'tmo', pattern: /\bT-? ?mobile\b|\bmetro ?pcs\b|\bsprint\b/i },
  { network: 'vzw', pattern: /\bverizon\b/i },
] as const

/** Whole words: "fixed line or mobile" and "fixedVoip" may well take a text. */
const LANDLINE = /^(wireline|landline|fixed|fixed[ _-]?line)$/i

/** Networks with a landline arm of the same name are told apart by the type of the line. */
export function factsOf(carrier: string | null, lineType: string | null): PhoneFacts {
  const isLandline = LANDLINE.test(lineType ?? '')
  const network = BRANDS.find(({ pattern }) => pattern.test(carrier ?? ''))?.network ?? null
  return {
    ...(carrier !== null && !isLandline && { network }),
    ...(isLandline && { isLandline }),
  }
}
