// Finds the worker of an account without a query: the hash is PostgreSQL's own, and a statement is classified by its
// tables and accounts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../sql.js'
import { hashText, Places } from './places.js'

// From `select hashtext(…)` on PostgreSQL 15.
const HASHES: readonly [string, number][] = [
  ['', -1_477_818_771],
  ['a', 1_075_015_857],
  ['abcdefgh', -1_960_928_205],
  ['abcdefghi', -92_131_489],
  ['abcdefghijk', -1_483_803_693],
  ['abcdefghijkl', -1_586_087_212],
  ['acc_01km3v9w8m0000pqv3t5x7z9bd', -1_535_090_519],
  ['é€ü-0123456789012345678901234567890', 1_659_481_473],
]

const [LOW, HIGH] = ['acc_01km3v9w8m0000pqv3t5x7z9bd', 'acc_01km3v9w8m0000pqv3t5x7z9bb']
const PLACES = new Places(
  [
    { min: 0, max: 2 ** 31 - 1, groupId: 7 },
    { min: -(2 ** 31), max: -1, groupId: 3 },
  ],
  ['messages', 'accounts'],
)

test("texts of any length have PostgreSQL's hash", () => {
  for (const [text, hash] of HASHES) assert.equal(hashText(text), hash, text)
})

test('an account is on the worker of its hash, and other values have no worker', () => {
  assert.equal(PLACES.workers, 2)
  assert.equal(PLACES.groupOf(LOW), 3)
  assert.equal(PLACES.groupOf(HIGH), 7)
  assert.equal(PLACES.groupOf('tok_01km3v9w8m0000pqv3t5x7z9bd'), null)
  assert.deepEqual(PLACES.ofAccount(HIGH), { groupIds: [7], isSpread: false })
  assert.deepEqual(PLACES.ofAccount('operator'), { groupIds: [], isSpread: false })
})

test('a statement may wait for the workers of its accounts, or for all, or for none', () => {
  const own = { groupIds: [3], isSpread: false }
  assert.deepEqual(PLACES.of(sql`select 1 from messages where account_id = ${LOW}`), own)
  const both = sql`insert into messages select from unnest(${[HIGH, LOW, HIGH]}::text[])`
  assert.deepEqual(PLACES.of(both), { groupIds: [3, 7], isSpread: false })
  const all = sql`select 1 from messages where due_at < ${new Date(0)}`
  assert.deepEqual(PLACES.of(all), { groupIds: [3, 7], isSpread: true })
  const local = sql`select messages from tokens where account_id = ${LOW}`
  assert.deepEqual(PLACES.of(local), { groupIds: [], isSpread: false })
})
