// One poller for all listeners of an account: each event once, late ones included, and no reads without listeners.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Event } from '../../events/event.js'
import { Hints } from '../../kit/hints.js'
import { idFloor, newId } from '../../kit/ids.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { World } from '../../kit/world.js'
import type { EventBody } from '../event-body.js'
import { EventFeeds } from './event-feed.js'

const START_MS = Date.parse('2026-11-15T12:00:00.000Z')

const turn = async () => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve))
}

function stage(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let machineMs = 1_000
  t.mock.method(performance, 'now', () => machineMs)
  let nowMs = START_MS
  let trouble: ((after: string) => Promise<void>) | null = null
  const stored: Event[] = []
  const reads: [account: string, after: string][] = []
  const described: string[][] = []
  const warned: string[] = []
  const hints = new Hints()
  const world = {
    hints,
    clock: { now: () => new Date(nowMs) },
    log: { warn: (_: object, text: string) => warned.push(text) },
    db: {
      query: async ({ values }: Statement) => {
        const [account, after, limit] = values as [string, string, number]
        reads.push([account, after])
        await trouble?.(after)
        const found = stored.filter((one) => one.accountId === account && one.id > after)
        return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
      },
    },
  } as unknown as World
  const feeds = new EventFeeds(world, async (_db, accountId, ids) => {
    described.push([accountId, ...ids])
    return new Map(ids.map((id) => [id, { id, text: `of ${id}` }]))
  })
  const store = (atMs: number, fields: Partial<Event> = {}): string => {
    const createdAt = new Date(atMs)
    const id = newId('evt', createdAt)
    const event = {
      accountId: 'acc',
      id,
      eventType: 'message.incoming',
      createdAt,
      messageId: null,
      campaignId: null,
      data: {},
      ...fields,
    }
    stored.push(event as unknown as Event)
    return id
  }
  const listen = (account: string) => {
    const heard: string[] = []
    const close = feeds.listen(account, (events) => {
      assert.ok(events.length > 0, 'no listener is woken without events')
      heard.push(...events.map(({ id }) => id))
    })
    return { heard, close }
  }
  return {
    feeds,
    store,
    listen,
    reads,
    described,
    warned,
    /** 50 ms after the one before it, or sooner. */
    hint: async (accountIds: string[] | null = null, ms = 50) => {
      machineMs += ms
      hints.notify('deliveries', accountIds)
      await turn()
    },
    tick: async (ms: number) => {
      nowMs += ms
      t.mock.timers.tick(ms)
      await turn()
    },
    /** The first events of every read from now on. */
    meet: (next: typeof trouble) => {
      trouble = next
    },
  }
}

test('each listener gets an event once, at a hint or within a quarter of a second', async (t) => {
  const { listen, store, hint, tick, reads, described } = stage(t)
  const [one, two] = [listen('acc'), listen('acc')]
  const first = store(START_MS + 10)
  await hint()
  assert.deepEqual([one.heard, two.heard], [[first], [first]])
  const second = store(START_MS + 20)
  await tick(249)
  assert.deepEqual(one.heard, [first])
  await tick(1)
  assert.deepEqual(
    [one.heard, two.heard],
    [
      [first, second],
      [first, second],
    ],
  )
  await tick(250)
  assert.equal(one.heard.length, 2)
  assert.equal(reads.length, 3, 'one poller for both')
  assert.deepEqual(described, [], 'there is no message to read')
})

test('each read starts two seconds before the last, so late commits are found', async (t) => {
  const { listen, store, tick, reads } = stage(t)
  const { heard } = listen('acc')
  await tick(250)
  const late = store(START_MS - 1_740)
  await tick(250)
  assert.deepEqual(heard, [late])
  const floors = [START_MS, START_MS + 250].map((ms) => [
    'acc',
    idFloor('evt', new Date(ms - 2_000)),
  ])
  assert.deepEqual(reads, floors)
})

test('more than a page is read to its end, in order, with one lookup of messages per page', async (t) => {
  const { listen, store, hint, described, reads } = stage(t)
  const { heard } = listen('acc')
  const ids = Array.from({ length: 500 }, (_, i) => store(START_MS + i, { messageId: 'msg_1' }))
  ids.push(store(START_MS + 600, { messageId: 'msg_2' }))
  await hint()
  assert.deepEqual(heard, ids)
  assert.deepEqual(described, [
    ['acc', 'msg_1'],
    ['acc', 'msg_2'],
  ])
  assert.equal(reads[1]![1], ids[499])
})

test('listeners get only their account’s events, and nothing is read without listeners', async (t) => {
  const { feeds, listen, store, hint, tick, reads } = stage(t)
  const [one, again, other] = [listen('acc'), listen('acc'), listen('other')]
  const id = store(START_MS + 10)
  await hint()
  assert.deepEqual([one.heard, other.heard], [[id], []])
  assert.deepEqual([feeds.countListeners('acc'), feeds.countListeners('nobody')], [2, 0])
  one.close()
  assert.equal(feeds.countListeners('acc'), 1)
  const next = store(START_MS + 20)
  await hint()
  assert.deepEqual([one.heard, again.heard], [[id], [id, next]])
  again.close()
  other.close()
  assert.equal(feeds.countListeners('acc'), 0)
  const before = reads.length
  await hint()
  await tick(1_000)
  assert.equal(reads.length, before)
  const back = listen('acc')
  const last = store(START_MS + 1_010)
  await hint()
  assert.equal(back.heard.at(-1), last, 'a returning listener gets events again')
})

test('a failed read is logged and made up for by the next, without repeats', async (t) => {
  const { listen, store, hint, warned, meet } = stage(t)
  const { heard } = listen('acc')
  const ids = Array.from({ length: 501 }, (_, i) => store(START_MS + i))
  meet(async (after) => {
    if (after === ids[499]) throw new Error('away') // between two pages
  })
  await hint()
  assert.deepEqual([heard.length, warned], [500, ['reading events failed']])
  meet(null)
  await hint()
  assert.deepEqual(heard, ids)
})

test('a long read is not joined by another', async (t) => {
  const { listen, store, hint, tick, reads, meet } = stage(t)
  const { heard } = listen('acc')
  let goOn = () => {}
  meet(
    () =>
      new Promise((resolve) => {
        goOn = resolve
      }),
  )
  await hint()
  await hint()
  await tick(1_000)
  assert.equal(reads.length, 1)
  const id = store(START_MS + 10)
  meet(null)
  goOn()
  await hint()
  await hint()
  assert.deepEqual(heard, [id])
})

test('hints of other accounts, and many at a time, cause no reads', async (t) => {
  const { listen, store, hint, tick, reads } = stage(t)
  const { heard } = listen('acc')
  const ids = [store(START_MS + 10)]
  await hint(['other'])
  assert.deepEqual([heard, reads], [[], []])
  await hint(['other', 'acc'])
  assert.deepEqual(heard, ids)
  ids.push(store(START_MS + 20))
  await hint(['acc'], 49)
  assert.equal(heard.length, 1)
  await hint(['acc'], 1)
  assert.deepEqual([heard, reads.length], [ids, 2])
  ids.push(store(START_MS + 30))
  await hint(['acc'], 0)
  await tick(250)
  assert.deepEqual([heard, reads.length], [ids, 3], 'the poll finds what no hint has brought')
})

async function pagesOf(feeds: EventFeeds, after: string): Promise<EventBody[][]> {
  const pages: EventBody[][] = []
  for await (const page of feeds.listAfter('acc', after)) pages.push(page)
  return pages
}

test('stored events are listed after an event, page by page, with their messages', async (t) => {
  const { feeds, store } = stage(t)
  const ids = Array.from({ length: 501 }, (_, i) => store(START_MS + i))
  ids.push(store(START_MS + 999, { messageId: 'msg_1' }))
  store(START_MS + 999, { accountId: 'other' })
  const pages = await pagesOf(feeds, ids[0]!)
  assert.deepEqual(
    pages.map((page) => page.length),
    [500, 1],
  )
  assert.deepEqual(
    pages.flat().map(({ id }) => id),
    ids.slice(1),
  )
  assert.deepEqual(pages[1]![0]!.data.message, { id: 'msg_1', text: 'of msg_1' })
  assert.deepEqual(await pagesOf(feeds, ids.at(-1)!), [])
})
