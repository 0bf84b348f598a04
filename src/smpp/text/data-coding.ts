// Maps data_coding to an alphabet. The specification leaves 0 to the carrier, so a link lists the alphabets it may
// send, in order of preference, each with its data_coding. Values from 0x10 on are those of GSM 03.38, including
// message classes.

import { type Alphabet, fitsAlphabet } from './alphabet.js'

export interface Coding {
  alphabet: Alphabet
  dataCoding: number
}

/** What most carriers support. */
export const USUAL_CODINGS: readonly Coding[] = [
  { alphabet: 'gsm7', dataCoding: 0x00 },
  { alphabet: 'ucs2', dataCoding: 0x08 },
]

/** The first alphabet that can carry the text. Null if the link has none. */
export function chooseCoding(text: string, codings: readonly Coding[]): Coding | null {
  return codings.find(({ alphabet }) => fitsAlphabet(alphabet, text)) ?? null
}

const DEFAULT = 'default'

/** Below 0x10. Missing values are not text, or are unsupported scripts. */
const SMPP_CODINGS: Record<number, Alphabet | typeof DEFAULT> = {
  0: DEFAULT,
  1: 'ascii',
  3: 'latin1',
  8: 'ucs2',
}

/** The link's setting comes first. Null: not text, such as ringtones and phone settings. */
export function alphabetOf(dataCoding: number, codings: readonly Coding[]): Alphabet | null {
  const own = codings.find((coding) => coding.dataCoding === dataCoding)
  if (own) return own.alphabet

  const alphabet = dataCoding < 0x10 ? SMPP_CODINGS[dataCoding] : gsmAlphabet(dataCoding)
  if (alphabet !== DEFAULT) return alphabet ?? null
  return codings.find((coding) => coding.dataCoding === 0)?.alphabet ?? 'gsm7'
}

function gsmAlphabet(dataCoding: number): Alphabet | typeof DEFAULT | undefined {
  const group = dataCoding >> 4
  const isCompressed = (group & 0b0010) !== 0
  if (group < 0x8) return isCompressed ? undefined : GENERAL[(dataCoding >> 2) & 0b11]
  if (group === 0xc || group === 0xd) return DEFAULT
  if (group === 0xe) return 'ucs2'
  return group === 0xf && (dataCoding & 0b0100) === 0 ? DEFAULT : undefined
}

/** From bits 3 and 2 of the general group. */
const GENERAL: readonly (Alphabet | typeof DEFAULT | undefined)[] = [
  DEFAULT,
  undefined,
  'ucs2',
  undefined,
]
