// Which mistakes are planted in a piece of code or SQL.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are pieces of code

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apply } from './mutant.js'
import { findMutants } from './operators.js'
import { parse } from './parse.js'
import { changeSql } from './sql-operators.js'

const CODE: Record<string, string[]> = {
  'f(a <= b)': ['{}', 'f(a < b)'],
  'f(a === b && c)': ['{}', 'f(a !== b && c)', 'f(a === b || c)'],
  'f(a ?? b)': ['{}', 'f(a && b)'],
  'f(a + b, c - 1)': ['{}', 'f(a - b, c - 1)', 'f(a + b, c + 1)', 'f(a + b, c - 2)'],
  "f(a + 'b')": ['{}', "f(a + '')"],
  'f(!a, true)': ['{}', 'f(a, true)', 'f(!a, false)'],
  'f(10_000, 5n)': ['{}', 'f(10001, 5n)', 'f(10_000, 6n)'],
  "f('', 'a')": ['{}', "f('mutant', 'a')", "f('', '')"],
  'if (a) f()': ['if (true) f()', 'if (false) f()', 'if (a) {}'],
  'const b = a ? 1 : c': [
    'const b = true ? 1 : c',
    'const b = false ? 1 : c',
    'const b = a ? 2 : c',
  ],
  'if (a) throw b': ['if (true) throw b', 'if (false) throw b', 'if (a) {}'],
  'a += b': ['{}', 'a -= b'],
  'f(a.some(g), Math.max(b))': ['{}', 'f(a.every(g), Math.max(b))', 'f(a.some(g), Math.min(b))'],
  'const f = () => { return a }': ['const f = () => { return undefined }'],
  'const a = sql`select 1 where b <= ${c + d} for update`': [
    'const a = sql`select 1 where b < ${c + d} for update`',
    'const a = sql`select 1 where true for update`',
    'const a = sql`select 1 where b <= ${c + d} `',
    'const a = sql`select 1 where b <= ${c - d} for update`',
  ],
  // Nothing to be wrong about.
  "import { a } from 'b'": [],
  "type A = 'a' | 1": [],
  "const a = f<'b'>": [],
  "const a = { 'b-c': d, description: 'e', question: 'f' }": [],
  'const a = some.text': [],
  "const POLL_MS = 300, LOOP = { name: 'a', delayMsMax: 1_000, label: 'b' }": [
    "const POLL_MS = 300, LOOP = { name: '', delayMsMax: 1_000, label: 'b' }",
  ],
  "this.log.warn({ a }, 'b')": ['{}'],
}

test('each kind of mistake is found where it can be made, and nowhere else', () => {
  const names = new Map(Object.keys(CODE).map((code, i) => [`${i}.ts`, code]))
  for (const [name, tree] of parse(names)) {
    const code = names.get(name)!
    const made = findMutants(name, tree).map((mutant) => apply(code, mutant))
    assert.deepEqual(made.sort(), CODE[code]!.toSorted(), code)
  }
})

test('a mutant says which line it is on', () => {
  const trees = parse(new Map([['a.ts', 'const a = b\n\n// c\nf(\n  d < e,\n)\n']]))
  const lines = findMutants('a.ts', trees.get('a.ts')!).map(({ line }) => line)
  assert.deepEqual(lines, [4, 5])
})

const SQL: Record<string, string[]> = {
  'where a = 1 and b >= ${x}': [
    'where a <> 1 and b >= ${x}',
    'where a = 1 or b >= ${x}',
    'where a = 1 and b > ${x}',
    'where true and b >= ${x}',
    'where a = 1 and true',
  ],
  'where a between 1 and 2': ['where true'],
  'set a = a + 1 where b is null returning c': [
    'set a = a - 1 where b is null returning c',
    'set a = a + 1 where b is not null returning c',
    'set a = a + 1 where true returning c',
  ],
  'where not exists (select 1 where a)': [
    'where exists (select 1 where a)',
    'where true',
    'where not exists (select 1 where true)',
  ],
  'order by a desc limit 1 for update skip locked': [
    'order by a asc limit 1 for update skip locked',
    'order by a desc limit 1 ',
    'order by a desc limit 1 for update',
  ],
  'select ${a <= b}': [],
}

test('mistakes in SQL: a bound, a condition, a sign, an order, a lock', () => {
  for (const [text, expected] of Object.entries(SQL)) {
    const made = changeSql(text, 0).map((change) => apply(text, change))
    assert.deepEqual(made.sort(), expected.toSorted(), text)
  }
})
