// A batch that another browser started is found block by block and round by round.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SendResult } from '../../../lib/batch/run'
import { further, SentBlocks } from './sent-blocks'

const AT = '2026-11-18T10:00:00.000Z'
const ok = (id: string): SendResult => ({ success: true, id })
const unpaid: SendResult = { success: false, error: 'No balance', code: 'balance_insufficient' }

async function search(stored: Record<string, SendResult[]>, blocks: string[][]) {
  const keys: (string | null)[] = []
  const sent = new SentBlocks(blocks.length)
  for (const [block, messages] of blocks.entries()) {
    await sent.find(
      messages.map((to) => ({ to })),
      (round) => `${block}-${round}`,
      async (part, key) => {
        keys.push(key)
        const results = (key !== null && stored[key]) || null
        assert.ok(!results || results.length === part.length, 'the same rows as were sent')
        return { sent: results && { at: AT, results } }
      },
    )
  }
  return { before: sent.before(), keys }
}

test('a batch that stopped in its second block continues there, with the rows that are left', async () => {
  const stored = {
    '0-0': [ok('a'), unpaid],
    '0-1': [ok('b')],
    '1-0': [ok('c'), unpaid, unpaid],
    '1-1': [ok('d'), unpaid],
  }
  const { before, keys } = await search(stored, [['a', 'b'], ['c', 'd', 'e'], ['f']])
  assert.deepEqual(before, { firstAt: AT, blocks: 3, blocksDone: 1, accepted: 4, open: [2] })
  assert.deepEqual(keys, ['0-0', '0-1', '1-0', '1-1', '1-2', null])
})

test('a batch that nobody started has nothing, and one that is finished has no rows left', async () => {
  assert.equal((await search({}, [['a'], ['b']])).before, null)
  const { before } = await search({ '0-0': [ok('a')] }, [['a']])
  assert.deepEqual(before, { firstAt: AT, blocks: 1, blocksDone: 1, accepted: 1, open: undefined })
})

test('the record of this browser is used unless the service has more', async () => {
  const own = { firstAt: '2026-11-10T10:00:00.000Z', blocks: 2, blocksDone: 1, accepted: 1000 }
  const found = { firstAt: AT, blocks: 2, blocksDone: 1, accepted: 1200, open: [3] }
  assert.equal(further(own, null), own)
  assert.equal(further(null, found), found)
  assert.deepEqual(further(own, found), { ...found, firstAt: own.firstAt })
  assert.equal(further(own, { ...found, accepted: 4 }), own)
})
