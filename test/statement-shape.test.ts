// The Citus rules for statements, demonstrated with statements that break them. Statements of the program are checked
// in every test (statement-watch.mjs), with or without a cluster.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from '../src/kit/postgres/sql.js'
import { EXCEPTIONS } from './statement-exceptions.mjs'
import { brokenRules, DISTRIBUTED, RULES, schemaFaults } from './statement-rules.mjs'

// Citus 13.2 refused each first statement or sent it to every worker. The second is the one to use instead.
const EXAMPLES: Record<string, [broken: string, replacement: string]> = {
  'a locking statement names one account': [
    'select id from messages where due_at <= $1 order by due_at limit 10 for update skip locked',
    'select id from messages where account_id = $1 and due_at <= $2 limit 10 for update skip locked',
  ],
  'a WITH that writes names one account': [
    `with gone as (delete from handoffs h using submits s
       where h.account_id = s.account_id and h.lease_until = s.lease_until returning h.first_id)
     select count(*) from gone`,
    `with gone as (delete from handoffs where account_id = $1 and first_id = any ($2) returning 1)
     select count(*) from gone`,
  ],
  'a WITH does not end in an INSERT of a SELECT': [
    `with gone as (delete from handoffs where account_id = $1 returning first_id)
     insert into events (account_id, id, event_type, created_at)
     select own.account_id, first_id, 'x', $2 from gone
       cross join (select account_id from accounts where account_id = $1) own`,
    `with gone as (delete from handoffs where account_id = $1 returning first_id), told as (
       insert into events (account_id, id, event_type, created_at)
       select own.account_id, first_id, 'x', $2 from gone
         cross join (select account_id from accounts where account_id = $1) own
     ) select 1`,
  ],
  'an UPDATE or DELETE names the account': [
    'delete from handoffs where lease_until <= $1',
    'delete from handoffs where account_id = $1 and lease_until <= $2',
  ],
  'a DELETE does not join a list of rows of several accounts': [
    `delete from handoffs h using unnest($1::text[], $2::text[]) as d (account_id, id)
     where h.account_id = d.account_id and h.first_id = d.id`,
    'delete from handoffs where account_id = $1 and first_id = any ($2::text[])',
  ],
  'times are computed in the program': [
    `update messages set due_at = due_at + interval '1 minute' where account_id = $1 and id = $2`,
    'update messages set due_at = $3 where account_id = $1 and id = $2',
  ],
  'an INSERT of a SELECT takes the account from a stored row': [
    `insert into events (account_id, id, event_type, created_at)
     select $1, id, 'x', $2 from unnest($3::text[]) as t (id)`,
    `insert into events (account_id, id, event_type, created_at)
     select own.account_id, id, 'x', $2 from unnest($3::text[]) as t (id)
       cross join (select account_id from accounts where account_id = $1) own`,
  ],
  'a SELECT list has no subquery over several accounts': [
    'select a.account_id, (select count(*) from messages where due_at <= $1) as due from accounts a',
    `select a.account_id, (select count(*) from messages m where m.account_id = a.account_id
       and m.due_at <= $1) as due from accounts a`,
  ],
  'the account of a row never changes': [
    'update campaigns set display_name = $3, account_id = $2 where account_id = $1 and id = $4',
    'update campaigns set display_name = $2 where account_id = $1 and id = $3',
  ],
  'distributed tables and coordinator tables are not joined': [
    'select n.phone_number from numbers n join accounts a on a.account_id = n.account_id where a.account_id = $1',
    'select phone_number from numbers where account_id = $1',
  ],
}

test('each rule finds a statement that breaks it and accepts its replacement', () => {
  assert.deepEqual(Object.keys(EXAMPLES), Object.keys(RULES))
  for (const [rule, [broken, replacement]] of Object.entries(EXAMPLES)) {
    assert.deepEqual(brokenRules(broken), [rule])
    assert.deepEqual(brokenRules(replacement), [], replacement)
  }
})

test('an age after ON CONFLICT must be a difference of two times', () => {
  const upsertWhere = (condition: string) => `
    insert into idempotency_keys as k (account_id, key, request_hash, answer, created_at)
    values ($1, $2, $3, $4, $5) on conflict (account_id, key) do update set answer = excluded.answer
    where ${condition}`
  assert.deepEqual(
    brokenRules(upsertWhere(`k.created_at <= excluded.created_at - interval '1 day'`)),
    ['times are computed in the program'],
  )
  assert.deepEqual(
    brokenRules(upsertWhere(`excluded.created_at - k.created_at >= interval '1 day'`)),
    [],
  )
})

test('no distributed table has a trigger, and no coordinator table references one', () => {
  assert.ok(DISTRIBUTED.has('messages') && !DISTRIBUTED.has('numbers'))
  assert.deepEqual(schemaFaults(), [])
  const trigger = 'CREATE TRIGGER looks BEFORE UPDATE ON public.messages FOR EACH ROW EXECUTE'
  const reference = `create table numbers (
  constraint numbers_account FOREIGN KEY (account_id) REFERENCES accounts(account_id)
)`
  assert.deepEqual(schemaFaults(`${trigger}\n${reference}`), [
    'looks: Citus does not support triggers on distributed tables',
    'numbers: references accounts, which is distributed',
  ])
})

test('statements of tests are not checked, and every exception names an existing rule and file', () => {
  assert.ok(sql`delete from handoffs where lease_until <= ${new Date()}`)
  for (const [rule, files] of Object.entries(EXCEPTIONS)) {
    assert.ok(rule in RULES, rule)
    for (const file of Object.keys(files)) assert.ok(existsSync(file), file)
  }
})
