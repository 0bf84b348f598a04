// When a link is paused automatically, which messages then wait instead of failing, and what resumes it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../accounts/account.js'
import {
  type Failed,
  permitFor,
  type Submission,
  type SubmitAnswer,
} from '../../messages/carrier-port.js'
import { LinkGate, REFUSALS_IN_A_ROW, type RepeatedRefusal } from './link-gate.js'

const AT = new Date('2026-11-17T12:00:00Z')
const SENT: SubmitAnswer = { kind: 'sent' }
const REFUSED: Failed = {
  ...{ kind: 'failed', errorCode: 1375, carrierCode: 'ESME_RINVSERTYP', concerns: 'link' },
}
const INVALID: Failed = { kind: 'failed', errorCode: 1350, carrierCode: 'ESME_RINVDSTADR' }

function submissions(count: number, more: Partial<Submission> = {}): Submission[] {
  return Array.from({ length: count }, (_, i) => ({
    ...{ accountId: 'acc_1' as AccountId, id: `msg_${i}`, campaignId: 'cmp_1', type: 'SMS' },
    ...{ from: '+14152000001', to: `+1415555${2000 + i}`, body: 'Hello', mediaUrls: [] },
    ...{ attempt: 1, expiresAt: AT },
    ...more,
  })) as Submission[]
}

function stage() {
  const paused: RepeatedRefusal[] = []
  const resumed: number[] = []
  const gate = new LinkGate({
    pause: (repeated) => {
      paused.push(repeated)
      const { code } = repeated
      const rest = { pausedBy: 'x', reason: code, probeAt: AT, probes: 0 }
      return { link: 'acme', pausedAt: AT, code, ...rest }
    },
    resume: () => void resumed.push(1),
    refusalOf: () => null,
    noteSender: () => {},
  })
  /** The kinds of results of the messages for these carrier responses. */
  const pass = async (batch: readonly Submission[], answer: SubmitAnswer) =>
    (await gate.pass(batch, async (some) => some.map(() => answer))).map((one) => one?.kind)
  return { gate, paused, resumed, pass }
}

test('ten refusals in a row with one code, for ten recipients, pause the link', async () => {
  const { gate, paused, pass } = stage()
  const nine = await pass(submissions(REFUSALS_IN_A_ROW - 1), REFUSED)
  assert.deepEqual(new Set(nine), new Set(['failed']))
  assert.ok(gate.isOpen)
  assert.deepEqual(await pass(submissions(1, { to: '+14155559999' }), REFUSED), ['down'])
  assert.deepEqual(paused, [{ code: 'ESME_RINVSERTYP', description: 'ESME_RINVSERTYP' }])
  assert.ok(!gate.isOpen)
  assert.deepEqual(await pass(submissions(3), SENT), ['down', 'down', 'down'])
})

test('a batch that is refused completely waits completely', async () => {
  const { pass, paused } = stage()
  const kinds = await pass(submissions(30), REFUSED)
  assert.deepEqual([new Set(kinds), paused.length], [new Set(['down']), 1])
})

test('refusals of one recipient, with different codes, about recipients, or with an acceptance between do not pause the link', async () => {
  const many = REFUSALS_IN_A_ROW - 1
  const one = stage()
  await one.pass(submissions(50, { to: '+14155552000' }), REFUSED)
  assert.ok(one.gate.isOpen)
  for (const between of [SENT, INVALID, { ...REFUSED, carrierCode: '0x446' }]) {
    const { gate, pass } = stage()
    await pass(submissions(many), REFUSED)
    await pass(submissions(1), between)
    await pass(submissions(many), REFUSED)
    assert.ok(gate.isOpen, JSON.stringify(between))
  }
  const invalid = stage()
  await invalid.pass(submissions(50), INVALID)
  assert.ok(invalid.gate.isOpen)
})

test('refused senders count by sender', async () => {
  const sender: Failed = { ...REFUSED, carrierCode: '40305 Invalid from', concerns: 'sender' }
  const { gate, pass, paused } = stage()
  await pass(submissions(50), sender)
  assert.ok(gate.isOpen, 'one number')
  const numbers = submissions(10).map((one, i) => ({ ...one, from: `+1415200${1000 + i}` }))
  await pass(numbers, sender)
  assert.deepEqual(paused[0], { code: '40305', description: '40305 Invalid from' })
})

test('a message in flight when the pause starts waits if it is refused with the same code', async () => {
  const { gate, pass } = stage()
  let answer = (_: SubmitAnswer) => {}
  const [late] = submissions(1, { to: '+14155558888' })
  const underWay = gate.pass(
    [late!],
    () =>
      new Promise((resolve) => {
        answer = (given) => resolve([given])
      }),
  )
  await pass(submissions(10), REFUSED)
  answer(REFUSED)
  assert.equal((await underWay)[0]?.kind, 'down')
})

test('a probe is one message, of another account if possible, and resumes the link if it is accepted', async () => {
  const { gate, pass, resumed } = stage()
  await pass(submissions(10), REFUSED)
  gate.allowProbe()
  assert.ok(gate.isOpen)
  const others = submissions(1, { accountId: 'acc_2' as AccountId })
  const batch = [...submissions(2), ...others]
  assert.deepEqual(await pass(batch, REFUSED), ['down', 'down', 'failed'])
  assert.deepEqual([gate.isOpen, resumed.length], [false, 0])
  gate.allowProbe()
  assert.deepEqual(await pass(batch, SENT), ['down', 'down', 'sent'])
  assert.equal(resumed.length, 1)
  gate.follow(null)
  assert.deepEqual(await pass(batch, SENT), ['sent', 'sent', 'sent'])
})

test('a pause by an operator has no probe', async () => {
  const { gate, pass } = stage()
  const rest = { pausedBy: 'me', reason: 'maintenance', code: null, probeAt: null, probes: 0 }
  gate.follow({ link: 'acme', pausedAt: AT, ...rest })
  assert.deepEqual([gate.isOpen, await pass(submissions(2), SENT)], [false, ['down', 'down']])
})

test('messages that wait inside a paused link get no permit, and go to another link or back to the queue', async () => {
  const { gate } = stage()
  const operatorPause = {
    ...{ link: 'acme', pausedAt: AT, pausedBy: 'x', reason: 'maintenance' },
    ...{ code: null, probeAt: null, probes: 0 },
  }
  let permits = 0
  const requestPermit = async () => {
    permits += 1
    if (permits === 3) gate.follow(operatorPause) // while this one's permit is on its way
    return { untilMs: Number.POSITIVE_INFINITY }
  }
  const answers = await gate.pass(submissions(6, { requestPermit }), async (some) => {
    const given: SubmitAnswer[] = []
    for (const one of some) {
      const permit = await permitFor(one, 'acme')
      given.push(permit ? SENT : { kind: 'window_missed' })
    }
    return given
  })
  assert.deepEqual(
    answers.map((answer) => answer?.kind),
    ['sent', 'sent', 'down', 'down', 'down', 'down'],
  )
  assert.equal(permits, 3, 'no permit is requested for a message that must not leave')

  gate.follow(null)
  const [missed] = await gate.pass(submissions(1), async () => [{ kind: 'window_missed' }])
  assert.equal(
    missed?.kind,
    'window_missed',
    'a message without a permit for another reason is not an outage',
  )
})

test('a probe gets a permit although the link is paused', async () => {
  const { gate, resumed } = stage()
  await gate.pass(submissions(30), async (some) => some.map(() => REFUSED))
  gate.allowProbe()
  const [probe] = await gate.pass(submissions(1), async ([one]) => {
    const permit = await permitFor(one!, 'acme')
    return [permit ? SENT : { kind: 'window_missed' }]
  })
  assert.equal(probe?.kind, 'sent')
  assert.equal(resumed.length, 1)
})
