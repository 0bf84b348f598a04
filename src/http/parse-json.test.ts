// Which bodies are accepted, and how unreadable or unstorable ones are described.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../kit/contract/refusal.js'
import { readJson, readText, textProblem } from './parse-json.js'

function refusalOf(text: string): [code: string, error: string] {
  const found = readJson(text)
  assert.ok(found instanceof Refusal, text)
  return [found.code, found.message]
}

test('valid JSON is parsed unchanged', () => {
  const text = '{"a":[1,"ü😀",null,true,{"constructor":{"prototype":1}}],"b":"\\ud83d\\ude00"}'
  assert.deepEqual(readJson(text), JSON.parse(text))
  assert.equal(readJson('7'), 7)
})

test('broken, too deep, and too wide bodies get different refusals', () => {
  for (const text of ['{', '[1,]', 'nope', '{"a":1}}', '{"__proto__":1']) {
    assert.deepEqual(refusalOf(text), ['json_broken', 'The request body is not valid JSON'], text)
  }
  assert.equal(refusalOf(`${'['.repeat(33)}${']'.repeat(33)}`)[0], 'json_too_deep')
  assert.equal(refusalOf(`[${'1,'.repeat(70_000)}1]`)[0], 'json_too_wide')
})

test('__proto__ is refused with its path', () => {
  const problem = 'is not allowed as a name. Choose another one'
  for (const [text, field] of [
    ['{"__proto__":{}}', '__proto__'],
    ['{"a":null,"b":[1,{"__proto__":{}}]}', 'b[1].__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
  ] as const) {
    assert.deepEqual(refusalOf(text), ['field_invalid', `${field} ${problem}`], text)
  }
  assert.deepEqual(readJson('{"a":"__proto__"}'), { a: '__proto__' })
})

test('text that cannot be stored is refused with its path, and keys with the path of their object', () => {
  const nul = 'must not contain the character NUL'
  const half = 'must be valid Unicode text'
  for (const [text, error] of [
    ['"\\u0000"', `body ${nul}`],
    ['{"a":"x\\u0000"}', `a ${nul}`],
    ['{"a":{"b":["",7,null,"\\u0000"]}}', `a.b[3] ${nul}`],
    ['{"a":{"k\\u0000":1}}', `a ${nul}`],
    ['{"a":"ok","b":"\\ud800"}', `b ${half}`],
    ['["\\uDFFF"]', `0 ${half}`],
    ['{"a":"\\udabc"}', `a ${half}`],
    ['{"a":"\\udEf0"}', `a ${half}`],
    ['{"a":"\\ud9ab"}', `a ${half}`],
  ] as const) {
    assert.deepEqual(refusalOf(text), ['field_invalid', error], text)
  }
  assert.deepEqual(readJson('{"a":"\\\\u0000","b":{"c":[true]}}'), {
    a: '\\u0000',
    b: { c: [true] },
  })
})

test('NUL is reported before half a surrogate pair, and sound text has no problem', () => {
  assert.equal(textProblem('a\0\ud800', 'x')?.message, 'x must not contain the character NUL')
  assert.equal(textProblem('\ud800', 'x')?.message, 'x must be valid Unicode text')
  assert.equal(textProblem('a😀', 'x'), null)
})

test('invalid UTF-8 is refused, but U+FFFD itself is valid text', () => {
  assert.equal(readText(Buffer.from('ü \ufffd')), 'ü \ufffd')
  const broken = readText(Buffer.from([0x22, 0xc3, 0x28, 0x22]))
  assert.ok(broken instanceof Refusal && broken.code === 'body_not_utf8')
})
