// Is a delivery genuine, and if not, why? The check of Standard Webhooks as a receiver makes it, with the
// reasons that a receiver would not tell. Runs where it is called: the secret goes nowhere.

export interface Claim {
  secret: string
  headers: SignedHeaders
  body: string
  /** By the clock of the world: what is sent is signed with it, also where the sandbox's clock was moved. */
  now: Date
}

export interface SignedHeaders {
  id: string | null
  timestamp: string | null
  signature: string | null
  /** The size that was sent, where a header says it. */
  bytes: number | null
}

export type Verdict =
  | { kind: 'missing'; header: string }
  | { kind: 'bad_secret' }
  | { kind: 'bad_timestamp' }
  | { kind: 'valid'; ageS: number }
  | { kind: 'old'; ageS: number }
  | { kind: 'ahead'; byS: number }
  | { kind: 'body_changed'; was: number; is: number; cause: BodyCause | null }
  | { kind: 'other_secret'; isSizeKnown: boolean }

/** What was done to the body, where undoing it makes the signature right. */
type BodyCause = 'line_end_added' | 'line_ends_changed' | 'reformatted'

/** Older than that, a receiver should refuse: somebody may have kept it. */
const TOLERANCE_S = 5 * 60

/** From what was pasted: lines as they are sent, of curl, of a log or of JSON. */
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

/** Without the quotes, the comma of JSON, and the backslash of a shell. */
function unquoted(value: string): string {
  const line = value.trim().replace(/\\$/, '').trimEnd().replace(/,$/, '')
  return line.replace(/^['"]/, '').replace(/['"]$/, '').trim()
}

export async function checkSignature({ secret, headers, body, now }: Claim): Promise<Verdict> {
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

function checkAge(ageS: number): Verdict {
  if (ageS > TOLERANCE_S) return { kind: 'old', ageS }
  return ageS < -TOLERANCE_S ? { kind: 'ahead', byS: -ageS } : { kind: 'valid', ageS }
}

async function explain(
  body: string,
  sentBytes: number | null,
  isSigned: (text: string) => Promise<boolean>,
): Promise<Verdict> {
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

/** What most often happens to a body between its arrival and its check. */
function undoings(body: string): [BodyCause, string][] {
  const found: [BodyCause, string][] = [
    ['line_end_added', body.trimEnd()],
    ['line_ends_changed', body.replaceAll('\r\n', '\n')],
  ]
  try {
    found.push(['reformatted', JSON.stringify(JSON.parse(body))])
  } catch {
    // No JSON: nothing that a parser could have written anew.
  }
  return found
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Null where it is no secret of a webhook: `whsec_` and base64. */
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

/** Several are there while a secret is rotated: any of them will do. */
async function isSignedBy(key: CryptoKey, text: string, signatures: string): Promise<boolean> {
  const content = new TextEncoder().encode(text)
  for (const one of signatures.split(/\s+/)) {
    const [version, value = ''] = one.split(',')
    if (version !== 'v1') continue
    try {
      if (await crypto.subtle.verify('HMAC', key, fromBase64(value), content)) return true
    } catch {
      // Not base64: no signature of ours.
    }
  }
  return false
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
