// Checks whether a delivery is genuine, as a Standard Webhooks receiver does, and explains why not. Runs in the
// browser: the secret never leaves the page.

export interface Claim {
  secret: string
  headers: SignedHeaders
  body: string
  /** Real time: deliveries are signed with it even if the sandbox clock was moved. */
  now: Date
}

export interface SignedHeaders {
  id: string | null
  timestamp: string | null
  signature: string | null
  /** The size that was sent, if a header has it. */
  bytes: number | null
}

export type SignatureResult =
  | { kind: 'missing'; header: string }
  | { kind: 'bad_secret' }
  | { kind: 'bad_timestamp' }
  | { kind: 'valid'; ageS: number }
  | { kind: 'old'; ageS: number }
  | { kind: 'ahead'; byS: number }
  | { kind: 'body_changed'; was: number; is: number; cause: BodyCause | null }
  | { kind: 'other_secret'; isSizeKnown: boolean }

/** How the body was changed, if undoing that makes the signature match. */
type BodyCause = 'line_end_added' | 'line_ends_changed' | 'reformatted'

/** Receivers should refuse older deliveries, which may be replays. */
const TOLERANCE_S = 5 * 60

/** Parses pasted headers: raw lines, curl, logs, or JSON. */
export function readHeaders(text: string): SignedHeaders {
  const found = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const at = line.search(/[:=]/)
    const name = HEADER_NAME.exec(line.slice(0, Math.max(at, 0)).trim())?.[1]
    if (name) found.set(name.toLowerCase(), unquoted(line.slice(at + 1)))
  }
  const get = (name: string) => found.get(name) || null
  const bytes = Number(get('content-length') ?? Number.NaN)
  return {
    id: get('webhook-id'),
    timestamp: get('webhook-timestamp'),
    signature: get('webhook-signature'),
    bytes: Number.isInteger(bytes) ? bytes : null,
  }
}

const HEADER_NAME = /^(?:(?:-H|--header)\s+|-H(?=['"]))?['"]?([\w-]+)['"]?$/

/** Strips quotes, the comma of JSON, and the backslash of a shell. */
function unquoted(value: string): string {
  const line = value.trim().replace(/\\$/, '').trimEnd().replace(/,$/, '')
  return line.replace(/^['"]/, '').replace(/['"]$/, '').trim()
}

export async function checkSignature({
  secret,
  headers,
  body,
  now,
}: Claim): Promise<SignatureResult> {
  const { id, timestamp, signature } = headers
  if (id === null) return { kind: 'missing', header: 'webhook-id' }
  if (timestamp === null) return { kind: 'missing', header: 'webhook-timestamp' }
  if (signature === null) return { kind: 'missing', header: 'webhook-signature' }
  const key = await readSecret(secret)
  if (key === null) return { kind: 'bad_secret' }
  if (!/^\d{1,12}$/.test(timestamp)) return { kind: 'bad_timestamp' }
  const isSigned = (text: string) => isSignedBy(key, `${id}.${timestamp}.${text}`, signature)
  if (await isSigned(body)) return checkAge(now.getTime() / 1000 - Number(timestamp))
  return explain(body, headers.bytes, isSigned)
}

function checkAge(ageS: number): SignatureResult {
  if (ageS > TOLERANCE_S) return { kind: 'old', ageS }
  return ageS < -TOLERANCE_S ? { kind: 'ahead', byS: -ageS } : { kind: 'valid', ageS }
}

async function explain(
  body: string,
  sentBytes: number | null,
  isSigned: (text: string) => Promise<boolean>,
): Promise<SignatureResult> {
  const is = bytesOf(body)
  for (const [cause, original] of undoings(body)) {
    if (original === body || !(await isSigned(original))) continue
    return { kind: 'body_changed', was: bytesOf(original), is, cause }
  }
  if (sentBytes !== null && sentBytes !== is) {
    return { kind: 'body_changed', was: sentBytes, is, cause: null }
  }
  return { kind: 'other_secret', isSizeKnown: sentBytes !== null }
}

/** What most often happens to a body between arrival and check. */
function undoings(body: string): [BodyCause, string][] {
  const found: [BodyCause, string][] = [
    ['line_end_added', body.trimEnd()],
    ['line_ends_changed', body.replaceAll('\r\n', '\n')],
  ]
  try {
    found.push(['reformatted', JSON.stringify(JSON.parse(body))])
  } catch {
    // Not JSON, so no parser could have rewritten it.
  }
  return found
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Null if it is not a webhook secret: `whsec_` followed by base64. */
async function readSecret(secret: string): Promise<CryptoKey | null> {
  try {
    const bytes = fromBase64(secret.trim().replace(/^whsec_/, ''))
    if (bytes.length === 0) return null
    return await crypto.subtle.importKey('raw', bytes, HMAC, false, ['verify'])
  } catch {
    return null
  }
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** While a secret is rotated there are several signatures. One match is enough. */
async function isSignedBy(key: CryptoKey, text: string, signatures: string): Promise<boolean> {
  const content = new TextEncoder().encode(text)
  for (const one of signatures.split(/\s+/)) {
    const [version, value = ''] = one.split(',')
    if (version !== 'v1') continue
    try {
      if (await crypto.subtle.verify('HMAC', key, fromBase64(value), content)) return true
    } catch {
      // Not base64, so not one of our signatures.
    }
  }
  return false
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
