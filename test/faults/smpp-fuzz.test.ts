// Sessions over sockets with peers that write and respond with random data, the same in every run. A session stays
// correct or closes, other sessions continue, and memory does not grow.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SubmitAnswer } from '../../src/messages/carrier-port.js'
import { seededRandom } from '../../src/smsc/random.js'
import { startSmsc } from '../../src/smsc/smsc.js'
import { boundCustomer, plain, smppToken } from '../bound-customer.js'
import { thorough } from '../harness.js'
import { startLink, type TestLink, untilUp } from '../peers/link.js'
import { untilTrue } from '../peers/peer-process.js'
import { sendingService, VZW } from '../sending.js'
import { attack, type Target } from './hostile-client.js'
import { type HostileSmsc, startHostileSmsc } from './hostile-smsc.js'
import { withoutGrowth } from './without-growth.js'

const SEED = 16
const AT_ONCE = 10
const ROUND = 20
/** Allowed memory growth over a few hundred sessions. */
const GROWTH_MAX_BYTES = 24 * 1024 * 1024

test('our SMSC responds to any data or closes the session, and serves its other clients', async (t) => {
  const smsc = await startSmsc({ acceptedMax: 2_000, receipts: 'none' })
  t.after(() => smsc.stop())
  const target: Target = { port: smsc.port, systemId: 'hostile', password: 'x' }
  const honest = await startLink(t, { port: smsc.port, systemId: 'honest' })
  await untilUp(honest)
  const ends = { 'closed by the server': 0, 'left by the client': 0 }

  await withoutGrowth(
    t,
    { rounds: thorough(12, 300), bytesMax: GROWTH_MAX_BYTES },
    async (round) => {
      const attacks = Array.from({ length: AT_ONCE }, (_, i) =>
        attack(target, seededRandom(SEED * 100_000 + round * AT_ONCE + i), i % 5 > 0),
      )
      const texts = Array.from({ length: ROUND }, (_, i) => `Honest ${round} ${i}`)
      const answers = await honest.send(...texts)
      assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['sent']))
      const taken = smsc.accepted.filter(({ systemId }) => systemId === 'honest').slice(-ROUND)
      assert.deepEqual(
        taken.map(({ text }) => text),
        texts,
      )
      for (const { end } of await Promise.all(attacks)) ends[end] += 1
    },
  )
  t.diagnostic(JSON.stringify(ends))
})

test('our SMPP server responds to any data or closes the session, and serves its other customers', async (t) => {
  const { service, number, message } = await sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0', LONGCODE_SMPP_BINDS: '1000' },
  })
  const port = service.smppPort!
  const hostile = await smppToken(service)
  const honest = await boundCustomer(t, service, await smppToken(service))
  const ends = { 'closed by the server': 0, 'left by the client': 0 }

  const rounds = thorough(9, 100)
  await withoutGrowth(t, { rounds, bytesMax: GROWTH_MAX_BYTES }, async (round) => {
    // Unbound clients guess passwords. After a few guesses no client at their address may bind, so they come last.
    const isBound = round < rounds - 1
    const attacks = Array.from({ length: AT_ONCE }, (_, i) =>
      attack({ port, ...hostile }, seededRandom(SEED * 200_000 + round * AT_ONCE + i), isBound),
    )
    const text = `Honest ${round}`
    const response = await honest.submit(plain(number, VZW, text))
    assert.equal(response.status, 'ESME_ROK')
    assert.equal((await message(response.id)).body, text)
    for (const { end } of await Promise.all(attacks)) ends[end] += 1
  })
  t.diagnostic(JSON.stringify(ends))
  assert.equal(honest.closed, null)
})

test('a link reports the true outcome of every message and sends it once, whatever the carrier responds', async (t) => {
  const smsc = await startHostileSmsc(t, seededRandom(SEED))
  const link = await startLink(t, {
    port: smsc.port,
    perSecond: 10_000,
    responseTimeoutMs: 300,
    enquireLinkMs: 1_000,
    bindTimeoutMs: 300,
  })
  const counts: Record<string, number> = {}
  await withoutGrowth(
    t,
    { rounds: thorough(25, 300), bytesMax: GROWTH_MAX_BYTES },
    async (round) => {
      await untilUp(link)
      const texts = Array.from({ length: ROUND }, (_, i) => `Text ${round} ${i}`)
      const answers = await link.send(...texts)
      assert.equal(answers.length, texts.length)
      for (const [i, text] of texts.entries()) {
        const answer = answers[i]!
        counts[answer.kind] = (counts[answer.kind] ?? 0) + 1
        assertTrue(answer, text, smsc)
      }
    },
  )
  t.diagnostic(`${JSON.stringify(counts)}, late responses ${link.late.length}`)
  assert.deepEqual(smsc.problems, [])
  assertLate(link, smsc)

  smsc.behave()
  await untilTrue(
    async () => (await link.send('Are you there?'))[0]!.kind === 'sent',
    () => 'a carrier that behaves',
  )
  const texts = Array.from({ length: ROUND }, (_, i) => `Good ${i}`)
  const answers = await link.send(...texts)
  for (const [i, text] of texts.entries()) {
    const answer = answers[i]!
    assert.deepEqual(answer.kind === 'sent' && answer.carrierIds, smsc.seen(text).ids)
  }
})

/** The answer is what the carrier reported about this message, and a message is sent again only after a refusal. */
function assertTrue(answer: SubmitAnswer, text: string, smsc: HostileSmsc): void {
  const { came, refused, ids } = smsc.seen(text)
  assert.ok(came - refused <= 1, `${text} went out ${came} times, refused ${refused}`)
  const label = `${text}: ${JSON.stringify(answer)}`
  if (answer.kind === 'sent') assert.ok(ids.includes(answer.carrierIds![0]!), label)
  else if (answer.kind === 'down') assert.equal(came, refused, label)
  else if (answer.kind !== 'unknown') assert.ok(refused > 0, label)
}

function assertLate({ late }: TestLink, smsc: HostileSmsc): void {
  const ids = new Set(late.map(({ id }) => id))
  assert.equal(ids.size, late.length, 'at most one late response per message')
  assert.ok(late.every(({ answer }) => answer.kind === 'sent' || answer.kind === 'failed'))
  assert.equal(smsc.problems.length, 0)
}
