// The statement that accepts is put together from pieces of four rooms. Its text, by what a batch has in it,
// is in accept-statement-queries.snapshot.sql: a change of any piece shows there in full.

import { test } from 'node:test'
import { assertStatements } from '../../../test/snapshot.js'
import { statementFor } from './accept-statement-queries.js'

const SNAPSHOT = new URL('accept-statement-queries.snapshot.sql', import.meta.url)
const WAYS = {
  'handed on': { isQueued: false, isHandedOn: true },
  queued: { isQueued: true, isHandedOn: false },
  'queued and handed on': { isQueued: true, isHandedOn: true },
}

test('each kind of batch is accepted by the statement that was reviewed for it', () => {
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
