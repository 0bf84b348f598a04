// Array literals preserve any value. PostgreSQL itself reads them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testService } from '../../../test/harness.js'
import { binaryTextArray, plainArray, textArray, timeArray } from './pg-array.js'
import { sql } from './sql.js'

test('PostgreSQL reads back every text that it can store, and null', async (t) => {
  const { world } = await testService(t)
  const storable = fc
    .string({ unit: 'binary', size: 'max', maxLength: 60 })
    .map((text) => text.replaceAll('\0', ''))
  const element = fc.oneof(
    storable,
    fc.constantFrom('', 'NULL', '{', '}', ',', '"', '\\', '\\"', ' x ', "'"),
    fc.constant(null),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(element, { maxLength: 8 }), async (values) => {
      const [row] = await world.db.query<{ read: (string | null)[] }>(sql`
        select ${textArray(values)}::text[] as read`)
      assert.deepEqual(row!.read, values)
      const [binary] = await world.db.query<{ read: (string | null)[] }>(sql`
        select ${binaryTextArray(values)}::text[] as read`)
      assert.deepEqual(binary!.read, values)
    }),
    { numRuns: 200 },
  )
})

test('plain values and times are written unchanged', () => {
  assert.equal(plainArray(['msg_1', 7900n, true, null]), '{msg_1,7900,true,NULL}')
  assert.equal(
    timeArray([new Date('2026-11-15T12:00:00.123Z'), null]),
    '{2026-11-15T12:00:00.123Z,NULL}',
  )
})
