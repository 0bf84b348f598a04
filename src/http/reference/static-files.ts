// Serves pages and files that are the same for everyone: built at the first request, compressed once,
// identified by content (ETag), limited per address, and with headers that keep browsers from running
// anything else.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kit/contract/refusal.js'
import { createRateLimiter } from '../rate-limit.js'

// A console page uses up to thirty files, and a restarted browser opens a dozen tabs at once. Many readers
// may share one address.
const RATE = { perSecond: 50, burst: 1_000 }
// Fast enough that the first reader can wait: three megabytes take a tenth of a second.
const BROTLI_QUALITY = 5

/** If the name changes with the content, no revalidation is needed. */
const FOREVER = 'public, max-age=31536000, immutable'
const ASK_AGAIN = 'no-cache'

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** All content comes from us, and no one may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
/** The libraries of the reference set their own styles. */
const STYLED_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")

export interface StaticFile {
  type: string
  make: () => string | Buffer
  /** Its path contains a hash of its content. */
  isForever?: boolean
  /** It may set inline styles. */
  isStyledInside?: boolean
  /** Of a page that explains why there is no other. Default: 200. */
  status?: number
}

type Encoding = 'br' | 'gzip'

interface Made {
  etag: string
  plain: Buffer
  /** In the encodings requested so far. */
  encoded: Partial<Record<Encoding, Promise<Buffer>>>
}

/** Keyed by content, so the services of one process share what they have in common. */
const cache = new WeakMap<StaticFile, Made>()

/** One file at a path, or the file for the `*` part of a path. */
export type Serve = (path: string, file: StaticFile | ((rest: string) => StaticFile)) => void

export function createStaticFiles(app: FastifyInstance): Serve {
  const limiter = createRateLimiter(RATE.perSecond, RATE.burst)
  return (path, content) => {
    app.get<{ Params: { '*': string } }>(
      path,
      { schema: { hide: true } as object, config: { scope: null } },
      async (request, reply) => {
        const decision = limiter.take(request.ip)
        if (decision && !decision.isAllowed) {
          reply.headers(decision.headers)
          throw new Refusal('rate_limited')
        }
        const file = typeof content === 'function' ? content(request.params['*']) : content
        return send(request, reply, file)
      },
    )
  }
}

function madeOf(file: StaticFile): Made {
  let made = cache.get(file)
  if (!made) {
    const plain = Buffer.from(file.make())
    made = { etag: `"${hashOf(plain)}"`, plain, encoded: {} }
    cache.set(file, made)
  }
  return made
}

function encode(plain: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(plain)
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  return promisify(brotliCompress)(plain, { params })
}

export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16)
}

async function send(request: FastifyRequest, reply: FastifyReply, file: StaticFile) {
  const made = madeOf(file)
  reply.headers({
    ...SAFE_HEADERS,
    'content-security-policy': file.isStyledInside ? STYLED_POLICY : POLICY,
    'cache-control': file.isForever ? FOREVER : ASK_AGAIN,
    etag: made.etag,
    vary: 'accept-encoding',
  })
  if (request.headers['if-none-match']?.includes(made.etag)) return reply.code(304).send()
  const encoding = preferredEncoding(String(request.headers['accept-encoding'] ?? ''))
  reply.type(file.type).code(file.status ?? 200)
  if (!encoding) return reply.send(made.plain)
  made.encoded[encoding] ??= encode(made.plain, encoding)
  return reply.header('content-encoding', encoding).send(await made.encoded[encoding])
}

function preferredEncoding(accepted: string): Encoding | null {
  if (/\bbr\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(accepted)) return 'br'
  if (/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(accepted)) return 'gzip'
  return null
}
