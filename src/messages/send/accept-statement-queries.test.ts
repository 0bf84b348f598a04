// The accepting statement consists of pieces from four modules. Its text, by kind of batch, is in
// accept-statement-queries.snapshot.sql, so a change of any piece shows there in full.

import { test } from 'node:test'
import { assertStatements } from '../../../test/snapshot.js'
import { statementFor } from './accept-statement-queries.js'

const SNAPSHOT = new URL('accept-statement-queries.snapshot.sql', import.meta.url)
const WAYS = {
  'handed on': { isQueued: false, isHandedOn: true },
  queued: { isQueued: true, isHandedOn: false },
  'queued and handed on': { isQueued: true, isHandedOn: true },
}

test('each kind of batch is accepted by its reviewed statement', () => {
  const statements: Record<string, string> = {}
  for (const isPlain of [true, false]) {
    for (const isKeyed of [false, true]) {
      for (const [way, kind] of Object.entries(WAYS)) {
        const name = `${isPlain ? 'plain' : 'full'}, ${isKeyed ? 'keyed, ' : ''}${way}`
        statements[name] = statementFor({ isPlain, isKeyed, ...kind })
      }
    }
  }
  assertStatements(SNAPSHOT, statements)
})
