// Texts that show whether two programs mean the same by their bytes.

/** GSM-7 with everything that needs an escape, and what is at another place there than in ASCII. */
export const EXTENDED = 'Price €5 {a} [b] ^ ~ \\ | @ £ $ _ ñ ü ß Ω'

/** ISO 8859-1, and no GSM-7. */
export const LATIN = 'Ça va, Århus? ©®½ ð'

export const EMOJI = 'Grüße 😀👍🏽 – 中文'

/** So long that it needs many parts: 1,500 characters. */
export const LONG_GSM = repeated('Order {17} costs €25 [net] for ~3 days; ')
export const LONG_UNICODE = repeated('Grüße 😀 中文 € { } ^ ')

function repeated(phrase: string): string {
  return phrase
    .repeat(Math.ceil(1_500 / phrase.length))
    .slice(0, 1_500)
    .toWellFormed()
}

/** What a peer that splits texts writes before each part. */
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
