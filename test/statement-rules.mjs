// Rules for statements that Citus would refuse or send to every worker. They apply to every statement of the program,
// with or without a cluster. Determined with Citus 13.2 (docs/scale.md). Distributed tables are read from schema.sql:
// those whose key starts with the account (src/kit/postgres/distribute.ts).

import { readFileSync } from 'node:fs'

const SCHEMA = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8')

function tablesOf(pattern) {
  return new Set([...SCHEMA.matchAll(pattern)].map(([, name]) => name))
}

const ALL = tablesOf(/^create table (\w+) \($/gm)
export const DISTRIBUTED = tablesOf(
  /^create table (\w+) \((?:\n {2}.*)*?\n {2}constraint \w+ PRIMARY KEY \(account_id\b/gm,
)
// Distributed by account without a key.
DISTRIBUTED.add('carrier_ids')
// On the coordinator on purpose.
DISTRIBUTED.delete('prices')
DISTRIBUTED.delete('forwarding_stops')
const LOCAL = new Set([...ALL].filter((name) => !DISTRIBUTED.has(name)))

const ONE_ACCOUNT = /\baccount_id = \$\d/
const TIED = /\baccount_id = \w+\.account_id\b/

/** In lower case, on one line, without string literals. */
function plain(text) {
  return text
    .replaceAll(/--.*$/gm, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\s+/g, ' ')
    .toLowerCase()
    .trim()
}

function names(text, tables) {
  return [...text.matchAll(/\b(?:from|join|into|update|using) ([a-z_]+)\b/g)]
    .map(([, name]) => name)
    .filter((name) => tables.has(name))
}

/** The tables a statement writes: `update x`, `insert into x`, `delete from x`. */
function written(text) {
  return [...text.matchAll(/\b(?:insert into|delete from|(?<!for |do |key )update) ([a-z_]+)\b/g)]
    .map(([, name]) => name)
    .filter((name) => DISTRIBUTED.has(name))
}

/** From each match to the end of the parentheses around it. */
function blocks(text, pattern) {
  return [...text.matchAll(pattern)].map(({ index }) => text.slice(index, endOf(text, index)))
}

function endOf(text, from) {
  let depth = 0
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === '(') depth += 1
    if (text[i] === ')') depth -= 1
    if (depth < 0) return i
  }
  return text.length
}

/** The part after the `with` clauses. */
function lastPart(text) {
  const end = text.lastIndexOf(') insert into ')
  return end >= 0 && endOf(text, end + 2) === text.length ? text.slice(end + 2) : ''
}

/** The text between the first `select` and its `from`. */
function selectList(text) {
  const start = /^(?:with .*\) )?select /.exec(text)?.[0].length
  if (start === undefined) return ''
  let depth = 0
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === '(') depth += 1
    if (text[i] === ')') depth -= 1
    if (depth === 0 && text.startsWith(' from ', i)) return text.slice(start, i)
  }
  return text.slice(start)
}

// A timestamp from a column or the database plus an interval depends on the session's time zone.
const TIME_ARITHMETIC = /(?:(?<![\w:.$])[a-z_][a-z_.]*|\)) [+-] (?:interval\b|make_interval\b)/

/** Each explains why, and finds the fault in a statement normalized by `plain`. */
export const RULES = {
  'a locking statement names one account': {
    why: 'Citus refuses `for update` and `skip locked` over several shards.',
    isBroken: (text) =>
      /\bfor (?:no key )?update\b|\bfor (?:key )?share\b/.test(text) &&
      names(text, DISTRIBUTED).length > 0 &&
      !ONE_ACCOUNT.test(text),
  },
  'a WITH that writes names one account': {
    why: 'Citus runs each part of it separately, so over several accounts it is no longer one snapshot.',
    isBroken: (text) =>
      text.startsWith('with ') && written(text).length > 0 && !ONE_ACCOUNT.test(text),
  },
  'a WITH does not end in an INSERT of a SELECT': {
    why: 'Citus sends the whole statement to the shard, where it is then not a statement for one shard.',
    isBroken: (text) =>
      text.startsWith('with ') &&
      written(lastPart(text)).length > 0 &&
      /^insert into [a-z_]+(?: as \w+)? \([^)]*\) select\b/.test(lastPart(text)),
  },
  'an UPDATE or DELETE names the account': {
    why: 'Without it, the statement goes to every worker, and one that is down fails it for all accounts.',
    isBroken: (text) =>
      blocks(text, /\b(?:delete from|(?<!for |do |key )update) [a-z_]+\b/g).some(
        (block) => written(block)[0] && !/\baccount_id = /.test(block),
      ),
  },
  'a DELETE does not join a list of rows of several accounts': {
    why: 'Citus sends a DELETE that joins a list to every worker. On a cluster, each account’s rows are deleted separately (src/kit/postgres/workers/together.ts).',
    isBroken: (text) =>
      blocks(text, /\bdelete from [a-z_]+\b/g).some(
        (block) => written(block)[0] && / using unnest\(/.test(block) && !ONE_ACCOUNT.test(block),
      ),
  },
  'times are computed in the program': {
    why: 'Citus refuses to add an interval to a column in an UPDATE, its RETURNING, or ON CONFLICT. Write `(column at time zone ’UTC’ + interval …) at time zone ’UTC’`, or pass the time as a parameter.',
    isBroken: (text) =>
      [
        ...blocks(text, /\b(?<!for |do |key )update [a-z_]+\b/g).filter(
          (block) => written(block)[0],
        ),
        ...blocks(text, /\binsert into [a-z_]+\b/g)
          .filter((block) => written(block)[0])
          .flatMap((block) => blocks(block, /\bon conflict\b/g)),
      ].some((block) => TIME_ARITHMETIC.test(block)),
  },
  'an INSERT of a SELECT takes the account from a stored row': {
    why: 'With the account as a parameter, Citus collects the rows on the coordinator and sends their sources to every worker (src/accounts/tenant-row-queries.ts).',
    isBroken: (text) =>
      blocks(text, /\binsert into [a-z_]+\b/g).some(
        (block) =>
          written(block)[0] &&
          /^insert into \w+(?: as \w+)? \([^)]*\) select (?:distinct on \([^)]*\) )?\$\d/.test(
            block,
          ),
      ),
  },
  'a SELECT list has no subquery over several accounts': {
    why: 'Citus refuses a subquery there that is not tied to the account of its row.',
    isBroken: (text) => {
      const list = selectList(text)
      return (
        !ONE_ACCOUNT.test(text) &&
        blocks(list, /(?<=\()select\b/g).some(
          (block) => names(block, DISTRIBUTED).length > 0 && !TIED.test(block),
        )
      )
    },
  },
  'the account of a row never changes': {
    why: 'It determines where the row is stored: Citus refuses to change it.',
    isBroken: (text) =>
      blocks(text, /\bupdate [a-z_]+\b/g).some(
        (block) => written(block)[0] && /\bset (?:[^(]*, )?account_id =/.test(block),
      ),
  },
  'distributed tables and coordinator tables are not joined': {
    why: 'Citus first copies the rows of one to the other: correct, but too slow for frequent statements.',
    isBroken: (text) => names(text, DISTRIBUTED).length > 0 && names(text, LOCAL).length > 0,
  },
}

/** The names of the rules that a statement breaks. */
export function brokenRules(text) {
  const statement = plain(text)
  return Object.keys(RULES).filter((name) => RULES[name].isBroken(statement))
}

/** Problems with the tables themselves. */
export function schemaFaults(schema = SCHEMA) {
  const faults = []
  for (const [, trigger, table] of schema.matchAll(
    /^CREATE TRIGGER (\w+) .* ON public\.(\w+) /gm,
  )) {
    if (DISTRIBUTED.has(table))
      faults.push(`${trigger}: Citus does not support triggers on distributed tables`)
  }
  for (const [, table, columns] of schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)) {
    for (const [, own, target] of columns.matchAll(/FOREIGN KEY \((\w+).* REFERENCES (\w+)\(/g)) {
      if (!DISTRIBUTED.has(target)) continue
      if (!DISTRIBUTED.has(table))
        faults.push(`${table}: references ${target}, which is distributed`)
      else if (own !== 'account_id')
        faults.push(`${table}: references ${target} without the account`)
    }
  }
  return faults
}
