// Writes of several accounts, of which some cannot be reached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseFailure } from '../db-failure.js'
import { writeTogether } from './together.js'

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

test('all at once, where all can be reached', async () => {
  const { written, write } = writer(null)
  assert.equal((await writeTogether(ROWS, write)).size, 0)
  assert.deepEqual(written, [[0, 1, 2]])
})

test('each account by itself where a worker is away; the failures of the others are told', async () => {
  const { written, write } = writer('acc_2')
  assert.deepEqual([...(await writeTogether(ROWS, write))], [['acc_2', AWAY]])
  assert.deepEqual(written, [[0, 2]])
})

test('what fails for another reason fails for all', async () => {
  const fault = new Error('a fault')
  const { written, write } = writer('acc_2', fault)
  await assert.rejects(writeTogether(ROWS, write), fault)
  assert.deepEqual(written, [])
})
