// Media checks before a message is sent: types, sizes, times, and how often a host is requested.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type HttpAnswer,
  type HttpClient,
  HttpFailure,
  type HttpRequest,
} from '../../kit/http-client/http-client.js'
import { fetchMedia } from '../media/fetch-media.js'
import { sendableType } from '../media/identify-type.js'
import { type CheckedMessage, OutboundMedia } from './outbound-media.js'

const MEGABYTE = 1_000_000
const SIGNAL = new AbortController().signal
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

type Answering = (url: string) => Partial<HttpAnswer> | Promise<Partial<HttpAnswer>>

function hostThat(answer: Answering): { http: HttpClient; asked: HttpRequest[] } {
  const asked: HttpRequest[] = []
  const http: HttpClient = {
    close: async () => {},
    request: async (request) => {
      asked.push(request)
      const headers = { 'content-type': 'image/png' }
      const usual = { status: 200, headers, body: PNG, truncated: false, durationMs: 1 }
      return { ...usual, ...(await answer(request.url)) }
    },
  }
  return { http, asked }
}

const nobody = () => Promise.reject(new Error('no preparation is needed'))

/** For a link that accepts URLs as given. */
function mediaOf(http: HttpClient): OutboundMedia {
  const preparer = {
    typeOf: async (content: Buffer, declared: string) => {
      const found = sendableType(content, declared, { convertsHeic: false })
      return 'problem' in found ? { code: 1392 as const, detail: found.problem } : found
    },
    ...{ keep: nobody, fit: nobody, recall: nobody },
  }
  const uploadOf = async () => null
  return new OutboundMedia({ http, signal: SIGNAL, limitsOf: () => null, preparer, uploadOf })
}

function messageWith(mediaUrls: readonly string[]): CheckedMessage {
  const of = { accountId: 'acc_1', from: '+12125550100', to: '+14155550107' }
  return { ...of, campaignId: 'cmp_1', type: 'MMS', mediaUrls }
}

function checkOf(answer: Answering) {
  const { http, asked } = hostThat(answer)
  const media = mediaOf(http)
  return { asked, check: (...mediaUrls: string[]) => media.check(messageWith(mediaUrls)) }
}

/** Elapsed machine time, moved by hand. */
function elapsed(t: TestContext): (ms: number) => void {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  return (ms) => {
    nowMs += ms
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a file has the type of its bytes, and a wrong declaration is reported', async () => {
  const typed = (type: string | undefined, body = PNG) => {
    const headers = type === undefined ? {} : { 'content-type': type }
    return checkOf(() => ({ headers, body })).check('http://a.test/a')
  }
  assert.equal(await typed('image/png'), null)
  assert.equal(await typed(undefined), null)
  assert.equal(await typed(' IMAGE/JPEG ;a=b'), null)
  assert.deepEqual(await typed('video/mp4'), {
    code: 1392,
    detail: 'The media is declared as video/mp4, but its content is image/png',
  })
  assert.deepEqual(await typed('text/html', Buffer.from('<html>')), {
    code: 1392,
    detail: 'The media type text/html cannot be sent',
  })
  assert.deepEqual(await typed('image/png', Buffer.alloc(0)), {
    code: 1390,
    detail: 'The media could not be fetched: the file is empty',
  })
})

test('a response counts with a status from 200 to 299', async () => {
  for (const status of [200, 299]) {
    assert.equal(await checkOf(() => ({ status })).check('http://a.test/a'), null)
  }
  for (const status of [199, 300, 404]) {
    assert.deepEqual(await checkOf(() => ({ status })).check('http://a.test/a'), {
      code: 1390,
      detail: `The media could not be fetched: status ${status}`,
    })
  }
})

test('a file may have 10 MB, and all files of a message may take 30 seconds', async () => {
  const sized = (...bytes: number[]) => {
    const { check } = checkOf((url) => ({ body: Buffer.alloc(bytes[Number(url.at(-1))]!, PNG) }))
    return check(...bytes.map((_, i) => `http://a.test/${i}`))
  }
  const tooBig = { code: 1391, detail: 'The media is too large (maximum 10 MB per file)' }
  assert.equal(await sized(10 * MEGABYTE, 10 * MEGABYTE), null)
  assert.deepEqual(await checkOf(() => ({ truncated: true })).check('http://a.test/a'), tooBig)

  const timed = (...ms: number[]) => {
    const { check } = checkOf((url) => ({ durationMs: ms[Number(url.at(-1))]! }))
    return check(...ms.map((_, i) => `http://a.test/${i}`))
  }
  assert.equal(await timed(10_000, 20_000), null)
  assert.deepEqual(await timed(10_000, 20_001), {
    code: 1390,
    detail: 'The media could not be fetched: it took more than 30 s',
  })
  const { asked, check } = checkOf(() => ({}))
  await check('http://a.test/a')
  assert.deepEqual(asked, [
    { method: 'GET', url: 'http://a.test/a', maxResponseBytes: 10 * MEGABYTE, signal: SIGNAL },
  ])
})

test('three redirects are followed, a fourth is not, and none leaves https', async () => {
  const hops = (count: number) => {
    let left = count
    return checkOf(() => {
      if (left === 0) return {}
      left -= 1
      return {
        status: 302,
        headers: { location: '/next' },
        body: Buffer.alloc(0),
        durationMs: 9_000,
      }
    })
  }
  const three = hops(3)
  assert.equal(await three.check('http://a.test/a'), null)
  assert.equal(three.asked.length, 4)
  assert.deepEqual(await hops(4).check('http://a.test/a'), {
    code: 1390,
    detail: 'The media could not be fetched: more than 3 redirects',
  })
  const led = (from: string, location: string, status = 302) =>
    checkOf((url) => (url === from ? { status, headers: { location } } : {})).check(from)
  assert.deepEqual(await led('https://a.test/a', 'http://a.test/b'), {
    code: 1390,
    detail:
      'The media could not be fetched: a redirect leads from https to a URL that is not https',
  })
  assert.equal(await led('http://a.test/a', 'https://b.test/b', 308), null)
  for (const status of [300, 304]) {
    assert.deepEqual(await led('http://a.test/a', '/b', status), {
      code: 1390,
      detail: `The media could not be fetched: status ${status}`,
    })
  }
})

test('credentials go only to their own host, not to others on the way', async () => {
  const { http, asked } = hostThat((url) => {
    if (url === 'https://own.test/a') return { status: 302, headers: { location: '/b' } }
    if (url === 'https://own.test/b')
      return { status: 307, headers: { location: 'https://o.test/' } }
    if (url === 'https://o.test/')
      return { status: 301, headers: { location: 'https://own.test/c' } }
    return {}
  })
  const access = { headers: { authorization: 'Basic secret' } }
  const own = { access, http }
  const file = await fetchMedia(http, 'https://own.test/a', { bytesMax: 9, own })
  assert.ok('content' in file)
  assert.equal(file.durationMs, 4)
  assert.deepEqual(
    asked.map(({ headers }) => headers?.authorization ?? null),
    ['Basic secret', 'Basic secret', null, null],
  )
})

test('a fetched file is requested again after a minute, a failed one immediately', async (t) => {
  const pass = elapsed(t)
  let status = 404
  const { asked, check } = checkOf(() => ({ status }))
  const both = await Promise.all([check('http://a.test/a'), check('http://a.test/a')])
  assert.deepEqual(
    both.map((problem) => problem && 'code' in problem && problem.code),
    [1390, 1390],
  )
  assert.equal(asked.length, 1, 'concurrent checks share one request')
  status = 200
  assert.equal(await check('http://a.test/a'), null)
  assert.equal(asked.length, 2)
  pass(59_999)
  await check('http://a.test/a')
  assert.equal(asked.length, 2)
  pass(1)
  await check('http://a.test/a')
  assert.equal(asked.length, 3)
})

test('a thousand results are cached, then the oldest is fetched again', async () => {
  const { asked, check } = checkOf(() => ({}))
  const url = (i: number) => `http://a.test/${i}`
  for (let i = 0; i < 1_000; i += 1) await check(url(i))
  await check(url(0))
  assert.equal(asked.length, 1_000)
  await check(url(1_000), url(0))
  assert.equal(asked.length, 1_002)
})

test('a failing host is named, and an aborted check is not cached', async () => {
  let fault: Error | null = new HttpFailure('connect', 'connection refused')
  const { http } = hostThat(() => {
    if (fault) throw fault
    return {}
  })
  const media = mediaOf(http)
  const ask = () => media.check(messageWith(['http://a.test/a']))
  assert.deepEqual(await ask(), {
    code: 1390,
    detail: `The media could not be fetched: ${fault.message}`,
  })
  fault = new Error('stopping')
  await assert.rejects(ask(), fault)
  fault = null
  assert.equal(await ask(), null)
  const file = await fetchMedia(http, 'http://a.test/a', { bytesMax: 7 })
  assert.deepEqual(file, { declared: 'image/png', content: PNG, durationMs: 1 })
})

test('a host gets eight requests at once, in order, and does not delay another', async () => {
  const waiting: (() => void)[] = []
  const { asked, check } = checkOf(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return {}
  })
  const checks = Array.from({ length: 20 }, (_, i) => check(`http://a.test/${i}`))
  await settled()
  assert.equal(asked.length, 8)
  const other = check('http://b.test/a')
  await settled()
  assert.equal(asked.length, 9)
  for (let done = 0; done < 21; done += 1) {
    assert.ok(waiting.length - done <= 9, 'eight at once and no more')
    waiting[done]!()
    await settled()
  }
  assert.deepEqual(await Promise.all([...checks, other]), Array(21).fill(null))
  const order = asked.map(({ url }) => url).filter((url) => url.startsWith('http://a.test/'))
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, i) => `http://a.test/${i}`),
  )
})

test('a finished fetch frees its slot while others continue', async () => {
  const waiting: (() => void)[] = []
  const { asked, check } = checkOf(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return {}
  })
  const ask = (from: number) =>
    Array.from({ length: 8 }, (_, i) => check(`http://a.test/${from + i}`))
  const first = ask(0)
  await settled()
  for (const done of waiting.slice(0, 3)) done()
  await Promise.all(first.slice(0, 3))
  const second = ask(10)
  await settled()
  assert.equal(asked.length, 11, 'three finished, three started')
  for (let next = 3; next < 16; next += 1) {
    waiting[next]!()
    await settled()
  }
  assert.deepEqual(await Promise.all([...first, ...second]), Array(16).fill(null))
})
