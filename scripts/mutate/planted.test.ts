// Every chosen mistake still fits its file, so a refactoring that moves its place notices; and the report of a run.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import {
  listClasses,
  listPlanted,
  mutantOf,
  type Planted,
  type PlantedResult,
  reportPlanted,
} from './planted.js'

const PER_CLASS = 20

for (const name of listClasses()) {
  test(`every planted mistake of the class "${name}" fits its file exactly once`, () => {
    const planted = listPlanted([name])
    assert.equal(planted.length, PER_CLASS)
    assert.equal(new Set(planted.map(({ what }) => what)).size, PER_CLASS, 'no two are the same')
    for (const one of planted) {
      assert.match(one.file, /^src\/.*(?<!\.test)\.ts$/)
      assert.notEqual(one.find, one.replace, one.what)
      mutantOf(one)
      assert.ok(one.tests.length >= 1 && one.tests.length <= 3, one.what)
      for (const file of one.tests) assert.ok(existsSync(file), file)
    }
  })
}

test('a class that does not exist is refused', () => {
  assert.throws(() => listPlanted(['moods']), /No class is named moods/)
})

test('the report shows each mistake, who noticed it, and the numbers per class', () => {
  const planted: Planted = {
    ...{ className: 'keys', what: 'The key is not checked.', file: 'src/a/b.ts' },
    ...{ find: 'a', replace: 'b', tests: ['test/a.test.ts'] },
  }
  const one = (seconds: number, state: PlantedResult['state']): PlantedResult => ({
    ...{ planted, seconds, state, test: state === 'missed' ? null : 'test/a.test.ts' },
  })
  assert.equal(
    reportPlanted([one(2.04, 'noticed'), one(120, 'timed out'), one(3, 'missed')]),
    `keys | src/a/b.ts | The key is not checked. | noticed by test/a.test.ts, 2.0 s
keys | src/a/b.ts | The key is not checked. | timed out by test/a.test.ts, 120.0 s
keys | src/a/b.ts | The key is not checked. | NOT NOTICED

keys: 2 of 3 noticed, median 2.0 s, longest 120.0 s
in all: 2 of 3 noticed, median 2.0 s, longest 120.0 s`,
  )
})
