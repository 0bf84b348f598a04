// Messages at a link to a provider: each result of a submit, the times when nothing may leave, lookups,
// lists, and the state of the link.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elapsedMs } from '../../src/kit/clock.js'
import type { LinkStatus, Submission } from '../../src/messages/carrier-port.js'
import { SENDER_REFUSED } from '../../src/messages/message-errors.js'
import { submission } from '../smpp-fixtures.js'
import { until } from '../until.js'
import { linkStage } from './link-stage.js'

const TO = '+14155550123'
const telnyxError = (code: string, title: string) => ({ errors: [{ code, title }] })

test('an accepted message has the provider’s id, and what the response reports about the phone', async (t) => {
  const { link, start, answers, heard, requests } = await linkStage(t, 'telnyx')
  await start()
  const to = [{ carrier: 'Verizon Wireless', line_type: 'Wireless' }]
  answers.message = { status: 200, body: { data: { id: 'm-1', to } } }
  const one = submission()
  assert.deepEqual(await link.submit([one]), [{ kind: 'sent', link: 'acme', carrierIds: ['m-1'] }])
  assert.deepEqual(heard.learned, [[TO, { network: 'vzw' }]])
  assert.equal(requests.length, 1)
})

test('a failed message has our code and the provider’s, and concerns the link only if nobody explained the code', async (t) => {
  const { link, start, answers, heard, logged, unmapped } = await linkStage(t, 'twilio')
  await start()
  const failure = async (code: number, message: string) => {
    answers.message = { status: 400, body: { code, message } }
    return (await link.submit([submission()]))[0]
  }
  const failed = (errorCode: number, carrierCode: string, more = {}) => ({
    ...{ kind: 'failed', errorCode, carrierCode, ...more },
  })
  assert.deepEqual(await failure(30007, 'Filtered'), failed(1370, '30007 Filtered'))
  assert.deepEqual(heard.learned, [])
  assert.deepEqual(
    await failure(21610, 'Stopped'),
    failed(1330, '21610 Stopped', { isOptedOut: true }),
  )
  assert.deepEqual(unmapped(), [])
  assert.deepEqual(await failure(21614, 'Not mobile'), failed(1360, '21614 Not mobile'))
  assert.deepEqual(heard.learned, [[TO, { isLandline: true }]])
  assert.deepEqual(await failure(39999, 'New'), failed(1499, '39999 New', { concerns: 'link' }))
  await failure(39999, 'New again')
  assert.deepEqual(unmapped(), [['acme 39999', 2]])
  const codes = logged.filter(({ msg }) => msg === 'a code that nobody explained')
  assert.deepEqual(
    codes.map(({ level, link, carrierCode }) => [level, link, carrierCode]),
    [
      [40, 'acme', '39999 New'],
      [40, 'acme', '39999 New again'],
    ],
  )
  assert.deepEqual(
    await failure(21606, 'Not yours'),
    failed(SENDER_REFUSED, '21606 Not yours', { concerns: 'sender' }),
  )
  assert.equal(link.isUp!(), true)
})

test('a code is counted without its text, and a text without a code under another name', async (t) => {
  const { link, answers, unmapped } = await linkStage(t, 'bandwidth')
  for (const body of [
    { type: 'message-odd', description: 'Odd' },
    { code: '***', description: 'Stars' },
  ]) {
    answers.message = { status: 400, body }
    await link.submit([submission()])
  }
  assert.deepEqual(unmapped(), [
    ['acme message-odd', 1],
    ['acme other', 1],
  ])
})

test('a response is read up to 256 KiB, and a longer one tells nothing about the message', async (t) => {
  const { link, answers } = await linkStage(t, 'telnyx')
  const kindOf = async (bytes: number) => {
    const body = { data: { id: 'm-1' }, rest: '' }
    body.rest = 'x'.repeat(bytes - JSON.stringify(body).length)
    answers.message = { status: 200, body }
    return (await link.submit([submission()]))[0]!.kind
  }
  assert.equal(await kindOf(256 * 1024), 'sent')
  assert.equal(await kindOf(256 * 1024 + 1), 'unknown')
})

test('an outcome is unknown after the message left, and the link is down if it did not', async (t) => {
  const { link, answers } = await linkStage(t, 'telnyx')
  answers.message = 'cut'
  const detail = 'The connection was closed before the answer was complete.'
  assert.deepEqual(await link.submit([submission()]), [{ kind: 'unknown', detail, link: 'acme' }])
  answers.message = { status: 500 }
  assert.deepEqual(await link.submit([submission()]), [
    {
      kind: 'unknown',
      detail: 'HTTP 500 from a gateway, not from the provider itself',
      link: 'acme',
    },
  ])
  assert.equal(link.isUp!(), true)
  const unreachable = await linkStage(t, 'telnyx')
  await unreachable.stopPeer()
  assert.deepEqual(await unreachable.link.submit([submission()]), [{ kind: 'down' }])
  const [{ isUp, detail: reason }] = unreachable.link.links!() as [LinkStatus]
  assert.deepEqual([isUp, typeof reason], [false, 'string'])
})

test('a refused key takes the link down until a probe succeeds, and nothing is sent while it is down', async (t) => {
  const { link, start, answers, requests, clock, logged } = await linkStage(t, 'telnyx')
  answers.other = { status: 401 }
  const downAt = new Date(clock.realTime.getTime() + 60_000)
  clock.realTime = downAt
  await start()
  await until(() => !link.isUp!(), 'the first probe')
  assert.equal(link.links!()[0]!.since, downAt)
  assert.equal(link.links!()[0]!.detail, 'The key was refused (HTTP 401).')
  assert.deepEqual(await link.submit([submission()]), [{ kind: 'down' }])
  assert.deepEqual(requests, [])
  answers.other = { status: 404 }
  await until(() => link.isUp!(), 'any response shows that it is up')
  assert.deepEqual(
    logged.map(({ level, link, detail, msg }) => [level, link, detail, msg]),
    [
      [50, 'acme', 'The key was refused (HTTP 401).', 'carrier link down'],
      [30, 'acme', undefined, 'carrier link up again'],
    ],
  )
  answers.message = { status: 403, body: telnyxError('10010', 'Denied') }
  answers.other = { status: 403 }
  assert.deepEqual(await link.submit([submission()]), [{ kind: 'down' }])
  assert.equal(link.links!()[0]!.detail, '10010 Denied')
  for (const [status, detail] of [
    [403, 'The key was refused (HTTP 403).'],
    [500, 'The provider returned HTTP 500.'],
  ] as const) {
    answers.other = { status }
    await until(() => link.links!()[0]!.detail === detail, detail)
  }
})

test('a throttled message is sent later, and Retry-After holds back all messages of the link', async (t) => {
  const { link, answers, requests, logged } = await linkStage(t, 'telnyx')
  answers.message = { status: 400, body: telnyxError('40318', 'Queue full') }
  assert.deepEqual(await link.submit([submission()]), [{ kind: 'slow_down' }])
  assert.equal(link.links!()[0]!.detail, null)
  answers.message = { status: 429, headers: { 'x-ratelimit-reset': '5' } }
  assert.deepEqual(await link.submit([submission()]), [{ kind: 'slow_down', retryAfterMs: 5_000 }])
  const sinceMs = elapsedMs()
  answers.message = { status: 429, headers: { 'retry-after': '600' } }
  assert.deepEqual(await link.submit([submission()]), [
    { kind: 'slow_down', retryAfterMs: 600_000 },
  ])
  const { length } = requests
  const [held] = await link.submit([submission()])
  assert.ok(held?.kind === 'slow_down' && held.retryAfterMs! > 0 && held.retryAfterMs! <= 600_000)
  assert.equal(requests.length, length, 'it was not sent')
  const { detail, isUp } = link.links!()[0]!
  const [, seconds] = /^The provider asked us to wait \(Retry-After\): (\d+) s to go\.$/.exec(
    detail!,
  )!
  assert.ok(Number(seconds) <= 600 && Number(seconds) * 1_000 >= 600_000 - elapsedMs(sinceMs))
  assert.equal(isUp, true)
  const waits = logged.filter(({ msg }) => msg === 'the provider asks us to wait')
  assert.deepEqual(
    waits.map(({ level, link, ms }) => [level, link, ms]),
    [[40, 'acme', 600_000]],
  )
})

test('a message leaves only with a permit, before its time is over', async (t) => {
  const { link, answers, requests, clock } = await linkStage(t, 'telnyx')
  answers.message = { status: 200, body: { data: { id: 'm-1' } } }
  const asked: string[] = []
  const kindOf = async (untilMs: number | null, submitBy: Date | null = null) => {
    const requestPermit: Submission['requestPermit'] = async (name) => {
      asked.push(name)
      return untilMs === null ? null : { untilMs }
    }
    return (await link.submit([submission({ requestPermit, submitBy })]))[0]!.kind
  }
  const soon = clock.nowMs() + 3_600_000
  assert.equal(await kindOf(null), 'window_missed')
  assert.equal(await kindOf(clock.nowMs() - 1), 'window_missed')
  assert.equal(await kindOf(soon, new Date(clock.nowMs() - 1)), 'window_missed')
  assert.equal(await kindOf(clock.nowMs() - 1, new Date(soon)), 'window_missed')
  assert.deepEqual(requests, [])
  assert.equal(await kindOf(soon), 'sent')
  assert.equal(await kindOf(soon, new Date(soon)), 'sent')
  assert.deepEqual(asked, Array(6).fill('acme'))
  assert.equal(link.isUp!(), true, 'a missed window is no problem of the link')
})

test('the state of a link shows its requests in progress, and since when it is up or down', async (t) => {
  const { link, answers, clock } = await linkStage(t, 'telnyx')
  const { since, ...state } = link.links!()[0]!
  assert.deepEqual(state, {
    ...{ link: 'acme', kind: 'telnyx', isUp: true, detail: null, connections: [], rate: null },
    window: { used: 0, size: 3 },
  })
  let answer = (_: { status: number; body: object }) => {}
  answers.message = new Promise((resolve) => {
    answer = resolve
  })
  const sending = link.submit([submission(), submission()])
  const used = () => link.links!()[0]!.window!.used
  await until(() => used() === 2, 'two in progress')
  answer({ status: 200, body: { data: { id: 'm-1' } } })
  await sending
  assert.equal(used(), 0)
  assert.deepEqual([link.networkOf(TO), link.capacityOf!('any')], [null, 6])
  assert.deepEqual(link.afterUnknown!(null), { waitMs: 7_000, mayRepeat: false })
  assert.deepEqual(link.mediaTerms!(submission()), { bytesMax: 1, otherBytesMax: 2 })
  assert.deepEqual(since, clock.realTime)
  await link.stop()
  assert.equal(link.isUp!(), false)
  assert.deepEqual(await link.submit([submission()]), [{ kind: 'down' }])
})

test('a link that stops waits for the response to its last message', async (t) => {
  const { link, answers } = await linkStage(t, 'telnyx')
  let answer = (_: { status: number; body: object }) => {}
  answers.message = new Promise((resolve) => {
    answer = resolve
  })
  const sending = link.submit([submission()])
  await until(() => link.links!()[0]!.window!.used === 1, 'it is in progress')
  let isStopped = false
  const stopping = link.stop().then(() => {
    isStopped = true
  })
  await new Promise(setImmediate)
  assert.equal(isStopped, false)
  answer({ status: 200, body: { data: { id: 'm-1' } } })
  assert.equal((await sending)[0]!.kind, 'sent')
  await stopping
})

test('a lost message is looked for in the provider’s list, if it has one', async (t) => {
  const { link, answers, requests, stopPeer } = await linkStage(t, 'bandwidth')
  const acceptedAt = new Date()
  const query = (one = link) => one.query!(submission(), 'acme', acceptedAt)
  answers.other = { status: 200, body: { messages: [{ messageId: 'm-1' }] } }
  assert.deepEqual(await query(), {
    ...{ kind: 'listed', link: 'acme', carrierIds: ['m-1'], similarIds: [] },
    ...{ isComplete: false, hasTexts: false },
  })
  answers.other = { status: 403 }
  assert.equal(await query(), null)
  for (const status of [429, 500, 503]) {
    answers.other = { status }
    assert.deepEqual(await query(), { kind: 'down' })
  }
  assert.ok(requests.every(({ path }) => path.startsWith('/api/v2/users/55/messages?')))
  await stopPeer()
  assert.deepEqual(await query(), { kind: 'down' })
  await link.stop()
  assert.equal(await query(), null)
  const telnyx = await linkStage(t, 'telnyx')
  assert.equal(await query(telnyx.link), null)
})

test('a phone is looked up only if the link’s settings allow it and the provider can be reached', async (t) => {
  const { link, answers, requests } = await linkStage(t, 'twilio', { hasLookUps: true })
  const line = { type: 'mobile', carrier_name: 'T-Mobile' }
  answers.other = { status: 200, body: { line_type_intelligence: line } }
  assert.deepEqual(await link.lookUp!(TO), { network: 'tmo' })
  assert.equal(
    requests[0]!.path,
    `/v2/PhoneNumbers/${encodeURIComponent(TO)}?Fields=line_type_intelligence`,
  )
  answers.other = { status: 404 }
  assert.equal(await link.lookUp!(TO), null)
  answers.other = 'cut'
  assert.equal(await link.lookUp!(TO), null)
  answers.message = { status: 401 }
  await link.submit([submission()])
  const { length } = requests
  answers.other = { status: 200, body: { line_type_intelligence: line } }
  assert.equal(await link.lookUp!(TO), null)
  assert.equal(requests.length, length, 'the link is down')
  assert.equal((await linkStage(t, 'twilio')).link.lookUp, undefined)
})

test('credentials for files go to the provider’s own host, and nowhere else', async (t) => {
  const { link, url } = await linkStage(t, 'bandwidth')
  const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`
  const access = (file: string) => link.mediaAccess!('acme', file)
  assert.deepEqual(access(`${url}/api/v2/users/55/media/1`), { headers: { authorization } })
  for (const other of ['https://elsewhere.test/media/1', url.replace('http:', 'https:'), 'no url'])
    assert.equal(access(other), null, other)
  const telnyx = await linkStage(t, 'telnyx')
  assert.equal(telnyx.link.mediaAccess!('acme', `${telnyx.url}/1`), null, 'its files are public')
})
