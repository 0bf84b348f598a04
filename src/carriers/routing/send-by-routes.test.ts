// A batch on its way over several links: which link gets which message, and whose answer counts in the end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submission } from '../../../test/smpp-fixtures.js'
import type { SubmitAnswer } from '../../messages/carrier-port.js'
import type { RouteSettings } from '../settings/carrier-settings.js'
import { CarrierRoute } from './route-table.js'
import type { RunningLink } from './running-link.js'
import { firstLink, type RouteDeps, sendByRoutes } from './send-by-routes.js'

type Answer = SubmitAnswer | 'closed'

interface Fake {
  readiness: 'ready' | 'settling' | 'down'
  answer: SubmitAnswer
  /** It closes while another link has the message. */
  closesWhen: string | null
}

function stage(fakes: Record<string, Partial<Fake>>, onSlowDown: 'wait' | 'next' = 'wait') {
  const taken: string[] = []
  const closed = new Set<string>()
  const links = new Map(
    Object.entries(fakes).map(([name, { readiness = 'ready', answer = { kind: 'sent' } }]) => {
      const link = {
        name,
        readiness: () => readiness,
        get isClosed() {
          return closed.has(name)
        },
        submit: async (batch: { id: string }[]) => {
          taken.push(`${name}: ${batch.map(({ id }) => id).join(' ')}`)
          for (const [other, { closesWhen }] of Object.entries(fakes)) {
            if (closesWhen === name) closed.add(other)
          }
          return batch.map(() => answer)
        },
      }
      return [name, link as unknown as RunningLink]
    }),
  )
  const [first, ...failover] = Object.keys(fakes)
  const route = new CarrierRoute({
    ...{ name: 'r', networks: null, prefixes: null, campaigns: null, types: null },
    ...{ links: [{ link: first!, share: 1 }], failover, onSlowDown },
  } satisfies RouteSettings)
  const deps: RouteDeps = {
    routeOf: () => route,
    hostTest: () => () => true,
    readHosts: () => null,
    linkOf: (name) => links.get(name) ?? null,
    onFault: () => assert.fail('no link throws'),
  }
  const send = (more: Partial<RouteDeps> = {}, ids = ['1']) =>
    sendByRoutes(
      ids.map((id) => submission({ id })),
      { ...deps, ...more },
    )
  return { send, taken, deps }
}

const SENT: SubmitAnswer = { kind: 'sent' }
const DOWN: SubmitAnswer = { kind: 'down' }
const slow = (retryAfterMs?: number): SubmitAnswer => ({
  kind: 'slow_down',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
const sender: SubmitAnswer = { kind: 'failed', errorCode: 1345, concerns: 'sender' }
const link: SubmitAnswer = { kind: 'failed', errorCode: 1375, concerns: 'link' }
const failed: SubmitAnswer = { kind: 'failed', errorCode: 1350 }
const unknown: SubmitAnswer = { kind: 'unknown', detail: 'cut' }
const missed: SubmitAnswer = { kind: 'window_missed' }

test('the answers of the links, in turn, decide the answer of the message', async () => {
  for (const [answers, onSlowDown, result, tried] of [
    [[SENT, SENT], 'wait', SENT, 1],
    [[DOWN, SENT], 'wait', SENT, 2],
    [[DOWN, DOWN], 'wait', DOWN, 2],
    [[slow(5), SENT], 'wait', slow(5), 1],
    [[slow(5), SENT], 'next', SENT, 2],
    [[slow(5), DOWN], 'next', slow(5), 2],
    [[DOWN, slow(5)], 'next', slow(5), 2],
    [[slow(5), slow(4)], 'next', slow(4), 2],
    [[slow(5), slow(6)], 'next', slow(5), 2],
    [[slow(5), slow()], 'next', slow(), 2], // no time is the soonest
    [[slow(), slow(5)], 'next', slow(), 2],
    [[slow(1), slow()], 'next', slow(), 2],
    [[slow(), slow(0)], 'next', slow(), 2],
    [[sender, SENT], 'wait', SENT, 2],
    [[sender, DOWN], 'wait', sender, 2],
    [[slow(5), sender], 'next', sender, 2],
    [[sender, sender], 'wait', sender, 2],
    [[link, SENT], 'next', link, 1],
    [[failed, SENT], 'next', failed, 1],
    [[unknown, SENT], 'next', unknown, 1],
    [[missed, SENT], 'next', missed, 1],
  ] as [Answer[], 'wait' | 'next', SubmitAnswer, number][]) {
    const [a, b] = answers as SubmitAnswer[]
    const { send, taken } = stage({ a: { answer: a! }, b: { answer: b! } }, onSlowDown)
    const text = JSON.stringify([answers, onSlowDown])
    assert.deepEqual(await send(), [result], text)
    assert.equal(taken.length, tried, text)
  }
})

test('ready links come before those that just recovered, and links that are down are left out', async () => {
  const { send, taken } = stage({
    a: { readiness: 'settling', answer: DOWN },
    b: { readiness: 'down' },
    c: { answer: DOWN },
    d: { answer: DOWN },
  })
  assert.deepEqual(await send(), [DOWN])
  assert.deepEqual(taken, ['c: 1', 'd: 1', 'a: 1'])
})

test('messages for one link go together, and each answer returns to its place', async () => {
  const { send, taken } = stage({ a: { answer: DOWN }, b: {} })
  assert.deepEqual(await send({}, ['1', '2', '3']), [SENT, SENT, SENT])
  assert.deepEqual(taken, ['a: 1 2 3', 'b: 1 2 3'])
  assert.deepEqual(await send({}, []), [])
})

test('a link that closes before its turn is skipped', async () => {
  const { send, taken } = stage({ a: { answer: DOWN }, b: { closesWhen: 'a' }, c: {} })
  assert.deepEqual(await send(), [SENT])
  assert.deepEqual(taken, ['a: 1', 'c: 1'])
})

test('without a host, a message is checked again later, and with an unknown host, sooner', async () => {
  const { send, taken } = stage({ a: {} })
  const later = { kind: 'down', retryAfterMs: 15_000 }
  assert.deepEqual(await send({ hostTest: () => () => false }), [later])
  assert.deepEqual(await send({ routeOf: () => null }), [later])
  assert.deepEqual(await send({ hostTest: () => null }), [DOWN], 'its hosts could not be read')
  assert.deepEqual(await send({ linkOf: () => null }), [DOWN], 'its link is gone')
  assert.deepEqual(taken, [])
})

test('hosts are read before the route is chosen', async () => {
  const { send } = stage({ a: {} })
  const order: string[] = []
  const answers = await send({
    readHosts: (from) => {
      order.push(`read ${[...from].join()}`)
      return Promise.resolve().then(() => void order.push('read'))
    },
    hostTest: () => {
      order.push('test')
      return () => true
    },
  })
  assert.deepEqual([answers, order], [[SENT], ['read +14152004000', 'read', 'test']])
})

test('a message belongs to the link that would be tried first, or to none', () => {
  const { deps } = stage({ a: { readiness: 'settling' }, b: {} })
  const groupOf = (more: Partial<RouteDeps> = {}) => firstLink(submission(), { ...deps, ...more })
  assert.equal(groupOf(), 'b')
  assert.equal(groupOf({ hostTest: () => (name) => name === 'a' }), 'a')
  assert.equal(groupOf({ hostTest: () => null }), '')
  assert.equal(groupOf({ routeOf: () => null }), '')
  assert.equal(groupOf({ linkOf: () => null }), '')
})
