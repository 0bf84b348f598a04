// The statements that move messages consist of pieces from three modules. Their texts are in
// move-queries.snapshot.sql, so a change of any piece shows there in full.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertStatements } from '../../../test/snapshot.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { Statement } from '../../kit/postgres/sql.js'
import type { Status } from '../message-state.js'
import { type Move, moveMessages } from './move-queries.js'

const SNAPSHOT = new URL('move-queries.snapshot.sql', import.meta.url)

/** The last statement tried, or the one for messages in this status. */
async function textOf(
  move: Pick<Move, 'target' | 'errorCode'>,
  source: Status | null = null,
): Promise<string> {
  let text = ''
  const query = async (statement: Statement) => {
    if (source === null || statement.values.includes(source)) text = statement.text
    return [{ moved: null, unnamed: null, deliveries: 0, leased: null }]
  }
  const moves = [{ messageId: 'msg_01', entry: '0|sent|', ...move }]
  await moveMessages({ query } as Queryable, 'acc_own', moves, new Date(0))
  return text
}

test('messages are moved and refunded by the reviewed statements', async () => {
  assertStatements(SNAPSHOT, {
    move: await textOf({ target: 'SENT', errorCode: null }),
    'move and refund': await textOf({ target: 'FAILED', errorCode: 1410 }),
    'move what was delivered': await textOf({ target: 'READ', errorCode: null }, 'DELIVERED'),
  })
})

test('messages with different carrier IDs are moved by one statement', async () => {
  const statements: Statement[] = []
  const query = async (statement: Statement) => {
    statements.push(statement)
    return [{ moved: 'msg_01 msg_02', unnamed: null, deliveries: 0, leased: null }]
  }
  const sent = { target: 'SENT', errorCode: null, entry: '0|sent|via acme' } as const
  await moveMessages(
    { query } as unknown as Queryable,
    'acc_own',
    [
      { ...sent, messageId: 'msg_01', note: ' 4f2a' },
      { ...sent, messageId: 'msg_02', note: ' 4f2b' },
    ],
    new Date(0),
  )
  assert.equal(statements.length, 1)
  assert.ok(statements[0]!.values.includes('{"msg_01":" 4f2a","msg_02":" 4f2b"}'))
})
