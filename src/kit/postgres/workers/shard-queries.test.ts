// A read across all accounts on one worker, and the merged result of several.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acrossAccounts, pageAcross, sql } from '../sql.js'
import { combineAnswers, literal, shardCommand } from './shard-queries.js'

test('the statement stays unchanged, except that shard names replace table names', () => {
  const statement = sql`select account_id, id from lanes l where due <= ${new Date(0)} limit ${5}`
  const groups = [
    new Map([
      ['lanes', 'lanes_101'],
      ['messages', 'messages_201'],
    ]),
    new Map([
      ['lanes', 'lanes_102'],
      ['messages', 'messages_202'],
    ]),
  ]
  const others = new Map([['media', 'media_301']])
  const asked =
    "select account_id, id from lanes l where due <= '1970-01-01T00:00:00.000Z' limit (5)"
  assert.equal(
    shardCommand(statement, [...groups, others]),
    `select coalesce(json_agg(row), '[]') from (` +
      `(with lanes as not materialized (table public.lanes_101) select * from (${asked}) as asked)` +
      ' union all ' +
      `(with lanes as not materialized (table public.lanes_102) select * from (${asked}) as asked)` +
      ') as row',
  )
})

test('a value is read as that value, whatever it contains', () => {
  assert.equal(literal("O'Neil $1"), "'O''Neil $1'")
  assert.equal(literal("\\'; drop table x"), " E'\\\\''; drop table x'")
  assert.equal(literal(['a"b', null, 'c\\', "d'e"]), ` E'{"a\\\\"b",NULL,"c\\\\\\\\","d''e"}'`)
  assert.deepEqual([null, undefined, true, -3, 7n].map(literal), [
    'null',
    'null',
    'true',
    '(-3)',
    '(7)',
  ])
  assert.throws(() => literal({}), /cannot be part/)
})

test('results are merged in one order, up to the limit, with times as times', () => {
  const answers = [
    '[{"id":"b","at":"2026-01-02T00:00:00+00:00"},{"id":"z","at":"2026-01-03T00:00:00+00:00"}]',
    '[{"id":"a","at":"2026-01-02T00:00:00+00:00"}]',
    '[]',
  ]
  const rows = combineAnswers(answers, { order: ['at', 'id'], limit: 2, times: ['at'] })
  const at = new Date('2026-01-02')
  assert.deepEqual(rows, [
    { id: 'a', at },
    { id: 'b', at },
  ])
  const sum = (rows: { id: string }[]) => [{ count: rows.length }]
  assert.deepEqual(combineAnswers(answers, { combine: sum }), [{ count: 3 }])
})

test('each worker returns all rows up to the end of a page, and rows are skipped once', () => {
  const groups = [new Map([['accounts', 'accounts_1']])]
  const page = pageAcross(
    (limit, skip) => sql`select id from accounts order by id desc limit ${limit} offset ${skip}`,
    { limit: 2, skip: 1 },
    { order: ['id'], isDescending: true },
  )
  assert.deepEqual(page.values, [3, 1])
  assert.match(shardCommand(page, groups), /limit \(4\) offset \(0\)/)
  const answers = ['[{"id":"d"},{"id":"a"}]', '[{"id":"c"},{"id":"b"}]']
  const ids = combineAnswers<{ id: string }>(answers, page.across!).map(({ id }) => id)
  assert.deepEqual(ids, ['c', 'b', 'a'])
})

test('sums of money stay exact', () => {
  const groups = [new Map([['ledgers', 'ledgers_1']])]
  const statement = acrossAccounts(sql`select total from ledgers`, { bigints: ['total'] })
  assert.match(
    shardCommand(statement, groups),
    /json_agg\(to_jsonb\(row\) \|\| jsonb_build_object\('total', row."total"::text\)\)/,
  )
  const rows = combineAnswers(['[{"total":"9007199254740993"},{"total":null}]'], statement.across!)
  assert.deepEqual(rows, [{ total: 9_007_199_254_740_993n }, { total: null }])
})
