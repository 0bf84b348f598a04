// The console labels Canadian numbers by its own list, because it uses only the API. It must match the service's.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CANADIAN_AREA_CODES } from '../src/numbers/nearby.js'

test('the console and the service agree on which area codes are Canadian', () => {
  const source = readFileSync('console/src/lib/canada.ts', 'utf8')
  const codes = source.match(/\b\d{3}\b/g) ?? []
  assert.deepEqual(codes, [...CANADIAN_AREA_CODES].sort())
})
