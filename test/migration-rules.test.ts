// Old and new processes run together during an upgrade: since then, every migration only adds, or explains why not.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findContractions } from './migration-rules.js'

/** Older migrations predate upgrades with two versions at once. */
const BASE = '0022-tokens-without-reference.sql'

test('migrations only add, so processes of the previous version keep working', () => {
  const names = readdirSync('migrations').filter((name) => name.endsWith('.sql') && name > BASE)
  const found = names.flatMap((name) =>
    findContractions(readFileSync(`migrations/${name}`, 'utf8')).map((one) => `${name} ${one}`),
  )
  assert.deepEqual(found, [])
})

test('the rule finds changes that would break an old process', () => {
  const examples: [statement: string, what: string][] = [
    ['drop table old_things;', 'drops a table'],
    ['alter table messages drop column body;', 'drops a column'],
    ['alter table messages\n  add column a text,\n  drop column body;', 'drops a column'],
    ['alter table messages rename column body to text;', 'renames'],
    ['alter table messages rename to texts;', 'renames'],
    ['alter table messages alter column attempts type bigint;', 'changes a type'],
    ['alter table messages alter attempts set data type bigint;', 'changes a type'],
    ['alter table messages alter column due_at set not null;', 'forbids null'],
    ['alter table messages alter column sequence drop default;', 'drops a default'],
    ['alter table messages add column size int not null;', 'adds a column that must be given'],
    ['alter table messages add constraint c check (price_micros > 0);', 'adds a check'],
    ['alter table messages add check (price_micros > 0);', 'adds a check'],
    ['alter table messages add constraint c unique (peer);', 'adds a constraint'],
    ['create unique index u on messages (peer);', 'adds a unique index'],
    ['truncate events;', 'empties a table'],
    ['drop function accept(text);', 'drops what statements may name'],
    ["select ';'; drop table old_things;", 'drops a table'],
  ]
  for (const [statement, what] of examples) {
    const found = findContractions(`-- Why it is done.\n${statement}`)
    assert.equal(found.length, 1, statement)
    assert.ok(found[0]!.startsWith(`${what}: `), `${statement} ${found[0]}`)
  }
})

test('the rule allows additions, removals of unused things, and changes of new tables', () => {
  const fine = [
    'create table things (id text primary key, size int not null);',
    'alter table messages add column size int;',
    'alter table messages add column size int not null default 0, add column weight int;',
    'create index messages_size on messages (size);',
    'alter table access_tokens drop constraint if exists access_tokens_account_id_fkey;',
    'drop index if exists messages_peer;',
    'alter table messages alter column body drop not null;',
    'create table things (id text); create unique index u on things (id);',
    'create table things (id text); alter table things add constraint c unique (id);',
    'alter table messages add column days int; alter table messages add constraint c check (days > 0);',
    'create function f() returns void language sql as $$ drop table messages; $$;',
    '-- Contracts (unused since 0.2.0): nothing reads it.\nalter table messages drop column body;',
    'alter table a rename to b; alter table b rename column c to d; create view a as select d as c from b;',
    '-- Checks (true in every version): nobody writes others.\nalter table a add constraint c check (d > 0);',
  ]
  for (const statement of fine) assert.deepEqual(findContractions(statement), [], statement)
  const halfMarked =
    '-- Contracts (unused since 0.2.0): nothing reads it.\ndrop table a;\ndrop table b;'
  assert.equal(findContractions(halfMarked).length, 1, 'the mark applies to one statement')
  const otherView = 'alter table a rename to b; create view c as select 1 from b;'
  assert.equal(findContractions(otherView).length, 1, 'a view of another name')
  const unique =
    '-- Checks (true in every version): so far.\nalter table a add constraint c unique (d);'
  assert.equal(findContractions(unique).length, 1, 'the mark applies to checks')
  assert.equal(findContractions('-- Contracts: because.\ndrop table a;').length, 1, 'no version')
})
