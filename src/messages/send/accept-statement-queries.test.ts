// The accepting statement consists of pieces from four modules. Its text, by kind of batch, is in
// accept-statement-queries.snapshot.sql, so a change of any piece shows there in full.

import { test } from 'node:test'
import { assertStatements } from '../../../test/snapshot.js'
import { statementFor } from './accept-statement-queries.js'

const SNAPSHOT = new URL('accept-statement-queries.snapshot.sql', import.meta.url)
const PATHS = {
  'handed off': { isQueued: false, isHandedOff: true },
  queued: { isQueued: true, isHandedOff: false },
  'queued and handed off': { isQueued: true, isHandedOff: true },
}

test('each kind of batch is accepted by its reviewed statement', () => {
  const statements: Record<string, string> = {}
  for (const isPlain of [true, false]) {
    for (const isKeyed of [false, true]) {
      for (const [path, kind] of Object.entries(PATHS)) {
        const name = `${isPlain ? 'plain' : 'full'}, ${isKeyed ? 'keyed, ' : ''}${path}`
        statements[name] = statementFor({ isPlain, isKeyed, ...kind })
      }
    }
  }
  assertStatements(SNAPSHOT, statements)
})
