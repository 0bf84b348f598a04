// Nobody outside can slow down a parser: every parser of outside input reads its worst texts at one, two, and four
// times a length, up to the longest accepted text. The cost is CPU time, and the fastest of several tries counts, so
// a busy machine does not matter.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBandwidth } from '../src/carriers/providers/bandwidth/messages.js'
import { insidesOf, textsOf } from '../src/carriers/providers/bandwidth/xml.js'
import type { MessageApi } from '../src/carriers/providers/provider.js'
import { createTelnyx } from '../src/carriers/providers/telnyx/messages.js'
import { createTwilio } from '../src/carriers/providers/twilio/messages.js'
import { readRequestLine } from '../src/http/connections/unread-requests.js'
import { readJson } from '../src/http/parse-json.js'
import { prefersStrict } from '../src/http/prefer.js'
import { SessionCookies } from '../src/http/session-cookie.js'
import { findTime } from '../src/kit/contract/find-time.js'
import { ResponseReader } from '../src/kit/http-client/response-reader.js'
import { expandVariables } from '../src/kit/settings-file/expand-variables.js'
import { readDocument } from '../src/kit/settings-file/settings-document.js'
import { declaredType, identifyType } from '../src/messages/media/identify-type.js'
import { readNumberCsv } from '../src/operator/oversight/number-csv.js'
import { MessageSplitter } from '../src/sip/message/message-splitter.js'
import { parseMessage } from '../src/sip/message/parse-message.js'
import { decodePdu } from '../src/smpp/pdu/decode.js'
import { FrameSplitter } from '../src/smpp/pdu/frame-splitter.js'
import { parseReceiptText } from '../src/smpp/receipt-text.js'
import { decodeText } from '../src/smpp/text/alphabet.js'
import { readHeader } from '../src/smpp/text/user-data-header.js'
import { foldText } from '../src/text/folding.js'
import { DEFAULT_KEYWORDS, matchKeyword } from '../src/text/keywords.js'
import { isRefusal } from '../src/text/refusals.js'
import { measureText } from '../src/text/segments.js'
import { evaluateResponse } from '../src/webhooks/deliver/attempt-delivery.js'
import * as worst from './worst-strings.js'

interface Parser {
  /** The longest text that reaches the parser, in bytes. */
  limit: number
  read: (text: string) => unknown
  texts?: readonly worst.Worst[]
  /** CPU time. AT_LIMIT_MS unless there is a reason. */
  atLimitMs?: number
}

const KB = 1024
const MB = 1024 * KB
const HEAD = 16 * KB
const NOW = new Date('2026-11-17T12:00:00Z')
const COOKIES = new SessionCookies({ publicUrl: 'https://sms.test' })

const twilio = createTwilio({
  ...{ baseUrl: 'https://twilio.test', lookUpUrl: 'https://twilio.test', accountSid: 'AC1' },
  ...{ authToken: 'secret', user: 'AC1', password: 'secret', services: new Map() },
  ...{ answersKeywords: true, now: () => NOW },
})
const telnyx = createTelnyx({
  ...{ baseUrl: 'https://telnyx.test', key: 'key', publicKey: Buffer.alloc(32).toString('base64') },
  ...{ profiles: new Map(), answersKeywords: true },
})
const bandwidth = createBandwidth({
  ...{ baseUrl: 'https://bandwidth.test', lookUpUrl: 'https://bandwidth.test', accountId: '1' },
  ...{ user: 'u', password: 'p', applications: new Map(), application: 'a' },
  ...{ callbackUser: 'u', callbackPassword: 'p', hasMmsReceipts: true },
})

/** As an attacker would: the signature is checked before the content is read. Both are measured. */
const callback =
  (provider: MessageApi, type: string) =>
  async (text: string): Promise<unknown> => {
    const headers = {
      'content-type': type,
      'x-twilio-signature': 'x',
      'telnyx-signature-ed25519': Buffer.alloc(64).toString('base64'),
      'telnyx-timestamp': String(NOW.getTime() / 1000),
    }
    const request = { method: 'POST', path: '/', query: {}, headers, body: Buffer.from(text) }
    const isGenuine = await provider.isGenuine(request, { url: 'https://sms.test/a', now: NOW })
    // An attacker gets no further, but a provider's customers choose the content it passes on.
    return isGenuine || provider.readCallbacks(request)
  }

const frames = (text: string): Buffer[] => {
  const found: Buffer[] = []
  new FrameSplitter((frame) => found.push(frame)).push(frameOf(text))
  return found
}

/** A deliver_sm with the text as its fields. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text, 'latin1')
  const frame = Buffer.alloc(16 + body.length)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(0x00000005, 4)
  body.copy(frame, 16)
  return frame
}

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

/** Whether it is valid does not matter. */
function readResponse(text: string): void {
  const reader = new ResponseReader('GET', { onHead: () => {}, onBody: () => {} })
  try {
    reader.read(Buffer.from(text, 'latin1'))
  } catch {}
}

const answerWith = (text: string, header: string) => ({
  ...{ status: 503, headers: { 'retry-after': header }, durationMs: 1, body: Buffer.from(text) },
  truncated: false,
})

const PARSERS: Readonly<Record<string, Parser>> = {
  'the request line of a broken request': {
    limit: 64 * KB,
    read: readRequestLine,
    texts: worst.REQUEST_HEADS,
  },
  'the header Prefer': { limit: HEAD, read: prefersStrict },
  'the header Cookie': { limit: HEAD, read: (cookie) => COOKIES.sessionOf({ cookie }, 'account') },
  'a media type': { limit: HEAD, read: declaredType },
  'a JSON body': { limit: MB, read: readJson, texts: worst.JSON_TEXTS },
  'a time': { limit: HEAD, read: findTime },
  'frames of SMPP': {
    limit: 64 * KB - 16,
    read: (text) => frames(text).map((frame) => decodePdu(frame)),
  },
  'a user data header': { limit: 64 * KB, read: (text) => readHeader(Buffer.from(text)) },
  'a text in GSM-7': { limit: 64 * KB, read: (text) => decodeText('gsm7', Buffer.from(text)) },
  'a receipt': { limit: 64 * KB, read: parseReceiptText, texts: worst.RECEIPT_TEXTS },
  'a SIP datagram': {
    limit: 64 * KB,
    read: (text) => parseMessage(Buffer.from(text, 'latin1')),
    texts: worst.SIP_MESSAGES,
  },
  'a SIP stream': {
    limit: 64 * KB,
    read: (text) => new MessageSplitter(parseMessage, () => {}).push(Buffer.from(text, 'latin1')),
    texts: worst.SIP_MESSAGES,
  },
  'a file of numbers': { limit: MB, read: readNumberCsv, texts: worst.NUMBER_FILES },
  // From the operator's disk, at a start or reload: the time must only grow no faster than the file.
  'a settings file': {
    limit: 4 * KB,
    read: readDocument,
    texts: worst.SETTINGS,
    atLimitMs: Number.POSITIVE_INFINITY,
  },
  'variables of a settings file': {
    limit: 64 * KB,
    read: (text) => expandVariables(text, () => null),
  },
  'a callback of Twilio': {
    limit: 256 * KB,
    read: callback(twilio, 'application/x-www-form-urlencoded'),
  },
  'a callback of Telnyx': {
    limit: 256 * KB,
    read: callback(telnyx, 'application/json'),
    texts: worst.JSON_TEXTS,
  },
  'a callback of Bandwidth': {
    limit: 256 * KB,
    read: callback(bandwidth, 'application/json'),
    texts: worst.JSON_TEXTS,
  },
  'XML of Bandwidth': {
    limit: 256 * KB,
    read: (text) => [textsOf(text, 'Error'), insidesOf(text, 'Error')],
    texts: worst.XML,
  },
  'a media file': { limit: MB, read: (text) => identifyType(Buffer.from(text)) },
  'the head of a response': {
    limit: HEAD - 64,
    read: (text) => {
      readResponse(`HTTP/1.1 200 ${text}\r\n\r\n`)
      readResponse(`${OK}${text}\r\n\r\n`)
      readResponse(`${OK}keep-alive: ${text}\r\ncontent-length: 0\r\n\r\n`)
      readResponse(`${OK}transfer-encoding: ${text}\r\n\r\n`)
    },
    texts: worst.REQUEST_HEADS,
  },
  'a response in chunks': {
    limit: 64 * KB,
    read: (text) => {
      readResponse(CHUNKED + text)
      readResponse(`${CHUNKED}0\r\n${text}`)
      readResponse(CHUNKED + '1\r\nx\r\n'.repeat(text.length / 6))
    },
  },
  'the answer of a webhook': {
    limit: 64 * KB,
    read: (text) => evaluateResponse(answerWith(text, text), NOW, null),
  },
  'a text from a phone': {
    limit: 64 * KB,
    read: (text) => [
      isRefusal(text),
      matchKeyword(text, DEFAULT_KEYWORDS),
      foldText(text),
      measureText(text),
    ],
    texts: worst.PHONE_TEXTS,
  },
}

const AT_LIMIT_MS = 20
/** Four times the text may cost eight times as much, because caches and compilers are not linear either. */
const GROWTH_MAX = 8
/** What is quadratic costs four times as much for twice the text. Memory of a new kind costs one step, and no more. */
const DOUBLING_MAX = 3
const TRIES = 4
/** A failing text is measured again: a busy machine slows down one round, a bad parser all of them. */
const ROUNDS = 4
/** Shorter times are below the precision of the clock. */
const NOISE_MS = 1

function ofBytes(make: worst.Worst, bytes: number): string {
  const bytesEach = Buffer.byteLength(make(100)) / make(100).length
  return make(Math.floor(bytes / Math.max(bytesEach, 1)))
}

async function costOf(parser: Parser, text: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES; tried += 1) {
    const before = process.cpuUsage()
    await parser.read(text)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
    if (best < NOISE_MS) break
  }
  return best
}

/** Reads a megabyte character by character: 1.5 ms on an ordinary machine, and several times that on a busy host. */
const REFERENCE = {
  limit: MB,
  read: (text: string) => {
    let sum = 0
    for (let i = 0; i < text.length; i += 1) sum += text.charCodeAt(i)
    return sum
  },
}
const REFERENCE_TEXT = 'x'.repeat(MB)
const REFERENCE_MS = 1.5

/** How many times slower than an ordinary machine this one is at present. At least 1. */
async function slowness(): Promise<number> {
  return Math.max(1, (await costOf(REFERENCE, REFERENCE_TEXT)) / REFERENCE_MS)
}

/** The problem with the measured costs, or null. */
function problemOf(costs: readonly number[], atLimitMs: number, slower: number): string | null {
  const [once = 0, twice = 0, fourTimes = 0] = costs
  if (fourTimes > atLimitMs * slower) return 'is too slow at the limit'
  const isSteep = fourTimes > GROWTH_MAX * Math.max(once, NOISE_MS * slower)
  return isSteep && fourTimes > DOUBLING_MAX * twice ? 'grows too fast' : null
}

for (const [name, parser] of Object.entries(PARSERS)) {
  test(`${name}: the cost of its worst texts grows no faster than their length`, async () => {
    for (const make of [...worst.COMMON, ...(parser.texts ?? [])]) {
      const texts = [4, 2, 1].map((share) => ofBytes(make, parser.limit / share))
      let problem: string | null = ''
      for (let round = 0; round < ROUNDS && problem !== null; round += 1) {
        const costs = []
        for (const text of texts) costs.push(await costOf(parser, text))
        problem = problemOf(costs, parser.atLimitMs ?? AT_LIMIT_MS, await slowness())
        if (problem) problem += `: ${costs.map((ms) => ms.toFixed(2)).join(', ')} ms`
      }
      assert.equal(problem, null, JSON.stringify(make(40)))
    }
  })
}
