// Every planted fault still applies to the sources, so a refactoring that moves its place notices.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { KINDS } from '../judge/judge.js'
import { chooseFaults, listFaults } from './faults.js'
import { applyTo, readPatch } from './patch.js'

const FAULTS_MIN = 25

for (const { name, files, finds } of listFaults()) {
  test(`the planted fault ${name} applies to src`, () => {
    assert.ok(files.length > 0)
    for (const one of files) {
      assert.match(one.file, /^src\//)
      assert.ok(one.hunks.length > 0)
      const text = readFileSync(one.file, 'utf8')
      assert.notEqual(applyTo(text, one), text)
    }
    for (const kind of finds) assert.ok(KINDS.has(kind), `"${kind}" is a kind of finding`)
  })
}

test('planted faults are numbered without gaps', () => {
  const numbers = listFaults().map(({ name }) => Number(name.slice(0, 2)))
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => i + 1),
  )
  assert.ok(numbers.length >= FAULTS_MIN)
})

test('faults are chosen by number, all, or at random', () => {
  const names = (text: string) =>
    chooseFaults(text, () => 0).map((group) => group.map(({ name }) => name.slice(0, 2)).join('+'))
  assert.deepEqual(names('07,12+3'), ['07', '12+03'])
  const measured = listFaults().filter(({ seconds }) => seconds !== null)
  assert.equal(names('random:3').length, Math.min(3, measured.length))
  assert.equal(names('all').length, listFaults().length)
  assert.throws(() => names('99'), /There is no planted fault 99/)
})

const PATCH = `It is wrong.
Finds: webhooks missing | left behind
Faults: database
Seconds: 12

--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@
 one
-two
+2
 three
`

test('a hunk must fit exactly once, wherever it is', () => {
  const { description, finds, faults, seconds, files } = readPatch(PATCH)
  assert.equal(description, 'It is wrong.')
  assert.deepEqual(finds, ['webhooks missing', 'left behind'])
  assert.deepEqual(faults, ['database'])
  assert.equal(seconds, 12)
  const apply = (text: string) => applyTo(text, files[0]!)
  assert.equal(apply('zero\none\ntwo\nthree\nfour\n'), 'zero\none\n2\nthree\nfour\n')
  assert.throws(() => apply('one\n2\nthree\n'), /Hunk 1 does not fit src\/a\.ts/)
  assert.throws(() => apply('one\ntwo\nthree\none\ntwo\nthree\n'), /fits src\/a\.ts in several/)
})
