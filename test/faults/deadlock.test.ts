// Statements that wait for each other: PostgreSQL aborts one of them, and we run it again. The same for a shard that Citus replaced.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { testService } from '../harness.js'

test('a transaction that loses a deadlock is run again', async (t) => {
  const { world } = await testService(t)
  const { db } = world
  await db.query(sql`create table counters as select id, 0 as n from generate_series(1, 2) as id`)
  let started = 0
  let bothStarted: () => void = () => {}
  const together = new Promise<void>((resolve) => {
    bothStarted = resolve
  })
  const addTo = (first: number, second: number) =>
    db.transaction(async (tx) => {
      await tx.query(sql`update counters set n = n + 1 where id = ${first}`)
      started += 1
      if (started === 2) bothStarted()
      await together
      await tx.query(sql`update counters set n = n + 1 where id = ${second}`)
    })
  await Promise.all([addTo(1, 2), addTo(2, 1)])
  const rows = await db.query(sql`select n from counters`)
  assert.deepEqual(rows, [{ n: 2 }, { n: 2 }])
  assert.ok(started >= 3, 'one of them started again') // and may have lost again
})

test('a single statement that loses a deadlock is run again', async (t) => {
  const { world } = await testService(t)
  const { db } = world
  await db.query(sql`create table counters as select id, 0 as n from generate_series(1, 2) as id`)
  // Each locks its first row, and the second only when the other call has locked that row or has finished.
  await db.query(sql`
    create function add_to(first int, second int) returns void language plpgsql as $$
    begin
      update counters set n = n + 1 where id = first;
      perform pg_advisory_xact_lock(first);
      while exists (select 1 from counters where id = second and n = 0)
        and not exists (select 1 from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and l.locktype = 'advisory' and l.objid = second)
      loop
        perform pg_sleep(0.01);
      end loop;
      update counters set n = n + 1 where id = second;
    end $$`)
  await Promise.all([
    db.query(sql`select add_to(${1}, ${2})`),
    db.query(sql`select add_to(${2}, ${1})`),
  ])
  const rows = await db.query(sql`select n from counters`)
  assert.deepEqual(rows, [{ n: 2 }, { n: 2 }])
})

test('a transaction and a statement for a shard that Citus replaced are run again', async (t) => {
  const { world } = await testService(t)
  const { db } = world
  await db.query(sql`create sequence attempts`)
  await db.query(sql`create table counters as select 0 as n`)
  // As Citus reports it. A sequence keeps its value when the transaction is rolled back.
  await db.query(sql`
    create function fail_first() returns int language plpgsql as $$
    begin
      update counters set n = n + 1;
      if nextval('attempts') % 2 = 1 then
        raise exception 'could not find valid entry for shard 102345' using errcode = 'XX000';
      end if;
      return 1;
    end $$`)
  const again = sql`select fail_first() as done`
  assert.deepEqual(await db.query(again), [{ done: 1 }])
  assert.deepEqual(await db.transaction((tx) => tx.query(again)), [{ done: 1 }])
  assert.deepEqual(await db.query(sql`select n from counters`), [{ n: 2 }])
})
