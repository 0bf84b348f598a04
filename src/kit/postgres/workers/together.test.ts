// Writes for several accounts, some of which cannot be reached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseFailure } from '../db-failure.js'
import { deleteTogether, writeTogether } from './together.js'

const AWAY = new DatabaseFailure('database_unavailable', 'refused', '08006', true)
const ROWS = ['acc_1', 'acc_2', 'acc_1'].map((accountId, id) => ({ accountId, id }))

function writer(failing: string | null, failure: Error = AWAY) {
  const written: number[][] = []
  const write = async (rows: readonly (typeof ROWS)[number][]) => {
    if (rows.some(({ accountId }) => accountId === failing)) throw failure
    written.push(rows.map(({ id }) => id))
  }
  return { written, write }
}

const ALL_NEAR = { isOutage: false, isCluster: async () => true, assertNear: async () => {} }
const ALONE = { ...ALL_NEAR, isCluster: async () => false }
const ONE_AWAY = {
  ...ALL_NEAR,
  isOutage: true,
  assertNear: async (accountId: string) => {
    if (accountId === 'acc_2') throw AWAY
  },
}

test('all accounts are written at once if all can be reached', async () => {
  const { written, write } = writer(null)
  assert.equal((await writeTogether(ALL_NEAR, ROWS, write)).size, 0)
  assert.deepEqual(written, [[0, 1, 2]])
})

test('each account is written alone while a worker is down, and the failures of others are returned', async () => {
  const { written, write } = writer('acc_2')
  assert.deepEqual([...(await writeTogether(ALL_NEAR, ROWS, write))], [['acc_2', AWAY]])
  assert.deepEqual(written, [[0, 2]])
})

test('while a worker is known to be down, nothing is sent there', async () => {
  const { written, write } = writer(null)
  assert.deepEqual([...(await writeTogether(ONE_AWAY, ROWS, write))], [['acc_2', AWAY]])
  assert.deepEqual(written, [[0, 2]])
})

test('a failure for another reason fails all', async () => {
  const fault = new Error('a fault')
  const { written, write } = writer('acc_2', fault)
  await assert.rejects(writeTogether(ALL_NEAR, ROWS, write), fault)
  assert.deepEqual(written, [])
})

test('deletions are one statement without a cluster, and one per account with it', async () => {
  const alone = writer(null)
  await deleteTogether(ALONE, ROWS, alone.write)
  assert.deepEqual(alone.written, [[0, 1, 2]])
  const near = writer(null)
  await deleteTogether(ALL_NEAR, ROWS, near.write)
  assert.deepEqual(near.written, [[0, 2], [1]])
  const some = writer(null)
  await deleteTogether(ONE_AWAY, ROWS, some.write)
  assert.deepEqual(some.written, [[0, 2]])
  const fault = new Error('a fault')
  const broken = writer('acc_1', fault)
  await assert.rejects(deleteTogether(ALL_NEAR, ROWS, broken.write), fault)
  assert.deepEqual(broken.written, [[1]], 'the other accounts are still written')
})
