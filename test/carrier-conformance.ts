// What every carrier link must do, whatever its protocol: the tests a new link must pass before it carries
// messages. Each link runs against its far side, as far as one is available. carrier-conformance.test.ts lists
// the links.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GateDeps, LinkGate } from '../src/carriers/routing/link-gate.js'
import type { Clock } from '../src/kit/clock.js'
import type {
  Carrier,
  CarrierListener,
  Inbound,
  LateAnswer,
  Receipt,
  Submission,
} from '../src/messages/carrier-port.js'
import type { LinkPause } from '../src/messages/link-pause-queries.js'
import { MESSAGE_ERRORS } from '../src/messages/message-errors.js'
import { eventually } from './harness.js'

/** The far side of a link, controlled by the test. */
export interface FarSide {
  /** The texts phones received, in order of arrival. */
  texts: () => readonly (string | null)[]
  /** A phone sends a message. Resolves when the link has acknowledged it, which may take several attempts. */
  write: (message: { from: string; to: string; text: string }) => Promise<boolean>
  /** Accepts messages without a response, until turned off. */
  beSilent: (isSilent: boolean) => void
  /** Drops all connections without notice. The link may connect again. */
  cut: () => void
  /** Disappears, and comes back at the same address. */
  goAway: () => Promise<void>
  comeBack: () => Promise<void>
}

export interface LinkStage {
  /** Not started yet. */
  link: Carrier
  /** A phone that accepts everything, and one that the carrier refuses with an error code. */
  good: string
  refused: { to: string; errorCode: number }
  /** Null if the link has no far side, as with the simulator. */
  farSide: FarSide | null
  /** The clock of the link. */
  clock: Clock
}

const FROM = '+14152000001'

/** A pause set by an operator. */
const PAUSE: LinkPause = {
  ...{ link: 'any', pausedAt: new Date(), pausedBy: 'operator', reason: 'maintenance' },
  ...{ code: null, probeAt: null, probes: 0 },
}
const OPEN_GATE: GateDeps = {
  pause: () => PAUSE,
  resume: () => {},
  refusalOf: () => null,
  noteSender: () => {},
}

class Heard implements CarrierListener {
  readonly receipts: Receipt[] = []
  readonly inbounds: Inbound[] = []
  readonly late: LateAnswer[] = []
  /** How many of the next receipts and inbound messages cannot be stored. */
  failures = 0

  receipt = async (receipt: Receipt) => {
    this.#fail()
    this.receipts.push(receipt)
  }
  inbound = async (inbound: Inbound) => {
    this.#fail()
    this.inbounds.push(inbound)
    return { messageId: null }
  }
  lateAnswer = async (late: LateAnswer) => void this.late.push(late)

  #fail(): void {
    if (this.failures === 0) return
    this.failures -= 1
    throw new Error('the database is away')
  }
}

export function testCarrier(
  kind: string,
  put: (t: TestContext) => Promise<LinkStage>,
  { hasFarSide = true } = {},
): void {
  const staged = async (t: TestContext) => {
    const stage = await put(t)
    const heard = new Heard()
    await stage.link.start(heard)
    t.after(() => stage.link.stop())
    await isUp(stage.link)
    return { ...stage, heard }
  }

  test(`${kind}: returns a result for each message, in order`, async (t) => {
    const { link, good, refused, heard } = await staged(t)
    const given = Array.from({ length: 20 }, (_, i) =>
      submission(i % 5 === 3 ? refused.to : good, `No. ${i}`),
    )
    const answers = await link.submit(given)
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      given.map(({ to }) => (to === good ? 'sent' : 'failed')),
    )
    for (const answer of answers) {
      if (answer.kind === 'failed') assert.equal(answer.errorCode, refused.errorCode)
      if (answer.kind === 'failed') assert.ok(Object.hasOwn(MESSAGE_ERRORS, answer.errorCode))
    }
    await eventually(async () => heard.receipts.length >= 16, 'a receipt for each')
    assert.ok(heard.receipts.every(({ status }) => status === 'DELIVERED'))
    const named = heard.receipts.map(({ of }) => of)
    given.forEach((one, i) => {
      const answer = answers[i]!
      const isNamed = named.some((of) =>
        'id' in of
          ? of.id === one.id
          : answer.kind === 'sent' && of.carrierIds.some((id) => answer.carrierIds?.includes(id)),
      )
      assert.equal(isNamed, answer.kind === 'sent', `receipt of ${one.body}`)
    })
    assert.deepEqual(await link.submit([]), [])
  })

  test(`${kind}: delivers every text complete`, async (t) => {
    const { link, good, farSide } = await staged(t)
    const texts = [
      'a',
      '€ {x} [y] ~ ^ | \\',
      'Grüße, señor Øre',
      'A\nB',
      '\u{1f600} ok',
      'é'.repeat(300),
    ]
    texts.push('long '.repeat(300), '\u{1f64b}\u{1f3fd}‍\u{2642}\ufe0f'.repeat(60))
    const answers = await link.submit(texts.map((text) => submission(good, text)))
    assert.ok(answers.every(({ kind }) => kind === 'sent'))
    if (!farSide) return
    await eventually(async () => farSide.texts().length === texts.length, 'all texts')
    assert.deepEqual(new Set(farSide.texts()), new Set(texts))
  })

  test(`${kind}: a stopped link accepts nothing and ends`, async (t) => {
    const { link, good, farSide } = await staged(t)
    const under = link.submit([submission(good, 'the last one')])
    await link.stop()
    assert.ok((await under).every(({ kind }) => kind !== 'slow_down'))
    if (!farSide) return
    const answers = await link.submit([submission(good, 'too late')])
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      ['down'],
    )
    assert.ok(!farSide.texts().includes('too late'))
  })

  test(`${kind}: reports its state`, async (t) => {
    const { link } = await staged(t)
    const statuses = link.links?.() ?? []
    for (const { link: name, isUp, since, window } of statuses) {
      assert.deepEqual([name, isUp], [link.name, true])
      assert.ok(since instanceof Date)
      assert.ok(window === null || (window.used >= 0 && window.size > 0))
    }
    const policy = link.afterUnknown?.(link.name)
    assert.ok(policy === undefined || policy.waitMs > 0)
  })

  if (hasFarSide) testFarSide(kind, staged)
}

type Staged = (t: TestContext) => Promise<LinkStage & { heard: Heard }>

/** Tests that need a far side. */
function testFarSide(kind: string, staged: Staged): void {
  const withFarSide = async (t: TestContext) => {
    const { farSide, ...stage } = await staged(t)
    assert.ok(farSide)
    return { ...stage, farSide }
  }

  test(`${kind}: a message without a response when the link broke is unknown, and the link reconnects`, async (t) => {
    const stage = await withFarSide(t)
    const { link, good, farSide } = stage
    farSide.beSilent(true)
    const under = link.submit([submission(good, 'one'), submission(good, 'two')])
    // The second message may arrive first, over another connection.
    await eventually(async () => farSide.texts().includes('one'), 'the first message was sent')
    farSide.cut()
    const answers = await under
    for (const answer of answers) assert.ok(answer.kind === 'unknown' || answer.kind === 'down')
    assert.equal(answers[0]!.kind, 'unknown')
    farSide.beSilent(false)
    await isUp(link)
    // The last connections may not have noticed yet that they are cut.
    await eventually(async () => {
      const [again] = await link.submit([submission(good, 'three')])
      return again!.kind === 'sent'
    }, 'the link carries messages again')
    const times = farSide.texts().filter((text) => text === 'one').length
    assert.equal(times, 1, 'the link itself never resends')
  })

  test(`${kind}: a message still waiting at its deadline is put back and never leaves`, async (t) => {
    const { link, good, farSide, clock } = await withFarSide(t)
    farSide.beSilent(true)
    const submitBy = new Date(clock.nowMs() + 60_000)
    const given = Array.from({ length: 200 }, (_, i) => submission(good, `No. ${i}`))
    const under = link.submit(given.map((one) => ({ ...one, submitBy })))
    await eventually(async () => farSide.texts().length > 0, 'the first messages were sent')
    clock.moveTo(60_001)
    farSide.cut() // makes room for others
    const answers = await under
    const left = new Set(farSide.texts())
    for (const [i, { body }] of given.entries()) {
      const { kind } = answers[i]!
      if (left.has(body)) assert.equal(kind, 'unknown', body)
      else assert.ok(['window_missed', 'down', 'unknown'].includes(kind), `${body} ${kind}`)
    }
    assert.ok(left.size < given.length, 'waiting messages were not sent')
    assert.ok(answers.every(({ kind }) => kind !== 'sent'))
  })

  test(`${kind}: no message leaves without a permit, which is requested once there is room on the wire`, async (t) => {
    const { link, good, farSide } = await withFarSide(t)
    let requested = 0
    farSide.beSilent(true)
    const given = Array.from({ length: 200 }, (_, i) => {
      const requestPermit = async () => {
        requested += 1
        return i % 2 === 0 ? { untilMs: Number.POSITIVE_INFINITY } : null
      }
      return { ...submission(good, `No. ${i}`), requestPermit }
    })
    const under = link.submit(given)
    await eventually(async () => farSide.texts().length > 0, 'the first messages were sent')
    assert.ok(requested < given.length, 'the rest wait without a permit')
    farSide.beSilent(false)
    farSide.cut()
    const answers = await under
    const left = new Set(farSide.texts())
    for (const [i, { body }] of given.entries()) {
      if (i % 2 === 0) continue
      assert.ok(!left.has(body), `${body} left without a permit`)
      assert.ok(['window_missed', 'down'].includes(answers[i]!.kind), answers[i]!.kind)
    }
  })

  test(`${kind}: a message still waiting when the link is paused is put back and never leaves`, async (t) => {
    const { link, good, farSide } = await withFarSide(t)
    const gate = new LinkGate(OPEN_GATE)
    let requested = 0
    const given = Array.from({ length: 200 }, (_, i) => {
      const requestPermit = async () => {
        requested += 1
        if (requested === 50) gate.follow(PAUSE)
        return { untilMs: Number.POSITIVE_INFINITY }
      }
      return { ...submission(good, `No. ${i}`), requestPermit }
    })
    const answers = await gate.pass(given, (some) => link.submit(some))
    const left = new Set(farSide.texts())
    assert.ok(left.size > 0 && left.size < 50, `${left.size} left`)
    assert.equal(requested, 50)
    for (const [i, { body }] of given.entries()) {
      assert.equal(answers[i]!.kind, left.has(body) ? 'sent' : 'down', body)
    }
  })

  test(`${kind}: nothing is accepted while the carrier is down, and the link retries automatically`, async (t) => {
    const stage = await withFarSide(t)
    const { link, good, farSide } = stage
    await farSide.goAway()
    await eventually(async () => link.isUp?.() === false, 'the link knows')
    assert.equal(link.links?.()[0]?.isUp ?? false, false)
    const [answer] = await link.submit([submission(good, 'nobody there')])
    assert.equal(answer!.kind, 'down')
    await farSide.comeBack()
    await isUp(link)
    const [again] = await link.submit([submission(good, 'there again')])
    assert.equal(again!.kind, 'sent')
    assert.ok(!farSide.texts().includes('nobody there'))
  })

  test(`${kind}: acknowledges an inbound message only once it is stored, and gives a repeat the same id`, async (t) => {
    const stage = await withFarSide(t)
    const { farSide, heard } = stage
    heard.failures = 1
    const isTaken = await farSide.write({ from: stage.good, to: FROM, text: 'Grüße \u{1f600}' })
    assert.ok(isTaken, 'the carrier resent it until it was stored')
    assert.equal(heard.inbounds.length, 1)
    const [came] = heard.inbounds
    assert.deepEqual([came!.from, came!.to, came!.body], [stage.good, FROM, 'Grüße \u{1f600}'])
    assert.equal(came!.link, stage.link.name)
    assert.ok(came!.carrierId, 'a repeat can be recognized')
  })

  test(`${kind}: long inbound messages arrive as parts that join to the whole text`, async (t) => {
    const stage = await withFarSide(t)
    const { farSide, heard } = stage
    const text = 'How long is long? \u{1f914} '.repeat(20)
    assert.ok(await farSide.write({ from: stage.good, to: FROM, text }))
    const parts = [...heard.inbounds].sort(
      (a, b) => (a.part?.sequence ?? 0) - (b.part?.sequence ?? 0),
    )
    assert.equal(parts.map(({ body }) => body).join(''), text)
    assert.equal(new Set(parts.map(({ carrierId }) => carrierId)).size, parts.length)
    assert.ok(parts.every(({ part }) => parts.length === 1 || part?.total === parts.length))
  })

  test(`${kind}: does not wait forever for a silent carrier`, async (t) => {
    const stage = await withFarSide(t)
    const { link, good, farSide } = stage
    farSide.beSilent(true)
    const [answer] = await Promise.race([
      link.submit([submission(good, 'hello?')]),
      sleep(44_000, [null] as const, { ref: false }),
    ])
    assert.ok(answer, 'no result within the dispatcher’s timeout')
    assert.equal(answer.kind, 'unknown')
  })
}

async function isUp(link: Carrier): Promise<void> {
  await eventually(async () => link.isUp?.() ?? true, 'the link is up')
}

let count = 0

export function submission(to: string, body: string): Submission {
  count += 1
  return {
    accountId: 'acc_1',
    id: `msg_${String(count).padStart(26, '0')}`,
    campaignId: 'cmp_1',
    type: 'SMS',
    from: FROM,
    to,
    body,
    mediaUrls: [],
    attempt: 1,
    expiresAt: new Date(Date.now() + 3_600_000),
  }
}
