// What the judge knows about texts, written from the contract and 3GPP TS 23.038, and not shared with the service: which
// characters fit GSM-7, which of the symbols that clients use are replaced, how many segments a text is billed as, and
// how many parts a carrier gets.

/** One septet each. */
const BASIC = new Set(
  [
    ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
    ...' !"#%&\'()*+,-./:;<=>?@_\n\r',
    ...'£$¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà',
  ].map((character) => character.charCodeAt(0)),
)
/** Two septets each: an escape comes first. */
const EXTENDED = new Set([...'^{}\\[~]|€\f'].map((character) => character.charCodeAt(0)))

/** The symbols in the texts of this run that have an equivalent in GSM-7. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ['“', '"'],
  ['”', '"'],
  ['‘', "'"],
  ['’', "'"],
  ['–', '-'],
  ['—', '-'],
  ['…', '...'],
])

const SEGMENT = { septets: 160, units: 70 }
const PART = { septets: 153, units: 67 }

/** Null: the text does not fit GSM-7. */
function septetsOf(text: string): number | null {
  let septets = 0
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (BASIC.has(unit)) septets += 1
    else if (EXTENDED.has(unit)) septets += 2
    else return null
  }
  return septets
}

/** The text as it must be sent: replaced if all of it fits GSM-7 then, and unchanged otherwise. */
export function sentTextOf(text: string): string {
  if (septetsOf(text) !== null) return text
  const replaced = [...text].map((character) => REPLACED.get(character) ?? character).join('')
  return septetsOf(replaced) === null ? text : replaced
}

/** A segment is 140 bytes: 160 septets or 70 UTF-16 units. Of the text as it is sent. */
export function segmentsOf(text: string): number {
  const septets = septetsOf(text)
  const [size, max] = septets === null ? [text.length, SEGMENT.units] : [septets, SEGMENT.septets]
  return Math.max(1, Math.ceil(size / max))
}

/** A part of a long message has a header, and no character is split. */
export function piecesOf(text: string): string[] {
  const septets = septetsOf(text)
  const costOf = (character: string) =>
    septets === null ? character.length : septetsOf(character)!
  const [size, whole, max] =
    septets === null
      ? [text.length, SEGMENT.units, PART.units]
      : [septets, SEGMENT.septets, PART.septets]
  if (size <= whole) return [text]
  const pieces = ['']
  let free = max
  for (const character of text) {
    const cost = costOf(character)
    if (cost > free) {
      pieces.push('')
      free = max
    }
    pieces[pieces.length - 1] += character
    free -= cost
  }
  return pieces
}

export function partsOf(text: string): number {
  return piecesOf(text).length
}
