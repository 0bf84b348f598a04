// Texts that show whether two programs interpret bytes the same way.

/** GSM-7 with every character that needs an escape, and characters with another code than in ASCII. */
export const EXTENDED = 'Price €5 {a} [b] ^ ~ \\ | @ £ $ _ ñ ü ß Ω'

/** ISO 8859-1, but not GSM-7. */
export const LATIN = 'Ça va, Århus? ©®½ ð'

export const EMOJI = 'Grüße 😀👍🏽 – 中文'

/** Needs many parts: 1,500 characters. */
export const LONG_GSM = repeated('Order {17} costs €25 [net] for ~3 days; ')
export const LONG_UNICODE = repeated('Grüße 😀 中文 € { } ^ ')

function repeated(phrase: string): string {
  return phrase
    .repeat(Math.ceil(1_500 / phrase.length))
    .slice(0, 1_500)
    .toWellFormed()
}

/** The header that a peer that splits texts writes before each part. */
export function udh(reference: number, total: number, sequence: number): Buffer {
  return Buffer.from([5, 0, 3, reference, total, sequence])
}

export function chunks(text: string, size: number): string[] {
  const count = Math.ceil(text.length / size)
  return Array.from({ length: count }, (_, i) => text.slice(i * size, (i + 1) * size))
}

export function ucs2(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

export function fromUcs2(bytes: Buffer): string {
  return Buffer.from(bytes).swap16().toString('utf16le')
}
