// What Citus refuses of a statement, or answers by asking every machine: rules that hold for each statement of the
// program, whether there is a cluster or not. Found by trying on Citus 13.2 (docs/scale.md). Which tables are distributed
// is read from schema.sql: those whose key begins with the account (src/kit/postgres/distribute.ts).

import { readFileSync } from 'node:fs'

const SCHEMA = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8')

function tablesOf(pattern) {
  return new Set([...SCHEMA.matchAll(pattern)].map(([, name]) => name))
}

const ALL = tablesOf(/^create table (\w+) \($/gm)
export const DISTRIBUTED = tablesOf(
  /^create table (\w+) \((?:\n {2}.*)*?\n {2}constraint \w+ PRIMARY KEY \(account_id\b/gm,
)
// On the coordinator on purpose.
DISTRIBUTED.delete('prices')
DISTRIBUTED.delete('forwarding_stops')
const LOCAL = new Set([...ALL].filter((name) => !DISTRIBUTED.has(name)))

const ONE_ACCOUNT = /\baccount_id = \$\d/
const TIED = /\baccount_id = \w+\.account_id\b/

/** In lower case, in one line, without the texts inside it. */
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

/** The tables that it writes: `update x`, `insert into x`, `delete from x`. */
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

/** What comes after the `with` and all that is in it. */
function lastPart(text) {
  const end = text.lastIndexOf(') insert into ')
  return end >= 0 && endOf(text, end + 2) === text.length ? text.slice(end + 2) : ''
}

/** What stands between the first `select` of a text and its `from`. */
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

// A time in a column, or of the database, and an interval: both depend on the session's time zone.
const TIME_ARITHMETIC = /(?:(?<![\w:.$])[a-z_][a-z_.]*|\)) [+-] (?:interval\b|make_interval\b)/

/** Each says why, and finds the fault in a statement that `plain` has written. */
export const RULES = {
  'what locks names one account': {
    why: 'Citus refuses `for update` and `skip locked` over several shards.',
    isBroken: (text) =>
      /\bfor (?:no key )?update\b|\bfor (?:key )?share\b/.test(text) &&
      names(text, DISTRIBUTED).length > 0 &&
      !ONE_ACCOUNT.test(text),
  },
  'writes in a with name one account': {
    why: 'Citus runs each part of it separately, so over several accounts it is no longer one snapshot.',
    isBroken: (text) =>
      text.startsWith('with ') && written(text).length > 0 && !ONE_ACCOUNT.test(text),
  },
  'a with does not end in an insert of a select': {
    why: 'Citus sends all of it to the shard, where it then finds a statement that is not for one shard.',
    isBroken: (text) =>
      text.startsWith('with ') &&
      written(lastPart(text)).length > 0 &&
      /^insert into [a-z_]+(?: as \w+)? \([^)]*\) select\b/.test(lastPart(text)),
  },
  'what is updated or deleted is named by its account': {
    why: 'Without it, the statement goes to every worker, and one that is down fails it for all accounts.',
    isBroken: (text) =>
      blocks(text, /\b(?:delete from|(?<!for |do |key )update) [a-z_]+\b/g).some(
        (block) => written(block)[0] && !/\baccount_id = /.test(block),
      ),
  },
  'rows of several accounts are not deleted by a list': {
    why: 'Citus sends a delete that joins a list to every machine: on a cluster, each account’s rows are deleted separately (src/kit/postgres/workers/together.ts).',
    isBroken: (text) =>
      blocks(text, /\bdelete from [a-z_]+\b/g).some(
        (block) => written(block)[0] && / using unnest\(/.test(block) && !ONE_ACCOUNT.test(block),
      ),
  },
  'times are computed in the program': {
    why: 'Citus refuses arithmetic of a column and an interval in an update, in what that returns, and after on conflict: write `(column at time zone ’UTC’ + interval …) at time zone ’UTC’`, or give the time.',
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
  'rows that a select gives are written next to a row of the account': {
    why: 'An account that comes as a parameter makes Citus gather the rows on the coordinator, and send what they are made of to every machine (src/accounts/own-row-queries.ts).',
    isBroken: (text) =>
      blocks(text, /\binsert into [a-z_]+\b/g).some(
        (block) =>
          written(block)[0] &&
          /^insert into \w+(?: as \w+)? \([^)]*\) select (?:distinct on \([^)]*\) )?\$\d/.test(
            block,
          ),
      ),
  },
  'a select list has no subquery over several accounts': {
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
  'tables of accounts and tables of the coordinator are not joined': {
    why: 'Citus sends the rows of one to the other first: right, but not for a hot path.',
    isBroken: (text) => names(text, DISTRIBUTED).length > 0 && names(text, LOCAL).length > 0,
  },
}

/** The names of the rules that it breaks. */
export function brokenRules(text) {
  const statement = plain(text)
  return Object.keys(RULES).filter((name) => RULES[name].isBroken(statement))
}

/** What is wrong with the tables themselves. */
export function schemaFaults(schema = SCHEMA) {
  const faults = []
  for (const [, trigger, table] of schema.matchAll(
    /^CREATE TRIGGER (\w+) .* ON public\.(\w+) /gm,
  )) {
    if (DISTRIBUTED.has(table)) faults.push(`${trigger}: Citus takes no table with a trigger`)
  }
  for (const [, table, columns] of schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)\n\)/gm)) {
    for (const [, own, target] of columns.matchAll(/FOREIGN KEY \((\w+).* REFERENCES (\w+)\(/g)) {
      if (!DISTRIBUTED.has(target)) continue
      if (!DISTRIBUTED.has(table))
        faults.push(`${table}: refers to ${target}, which lies elsewhere`)
      else if (own !== 'account_id')
        faults.push(`${table}: refers to ${target} without the account`)
    }
  }
  return faults
}
