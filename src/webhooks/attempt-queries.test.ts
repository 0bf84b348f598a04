// The statements that record attempts consist of pieces from two modules. Their texts are in
// attempt-queries.snapshot.sql, so a change of any piece shows there in full.

import { test } from 'node:test'
import { assertStatements } from '../../test/snapshot.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Statement } from '../kit/postgres/sql.js'
import { type AttemptRecord, recordAttempts } from './attempt-queries.js'

const SNAPSHOT = new URL('attempt-queries.snapshot.sql', import.meta.url)

async function textOf(more: Partial<AttemptRecord>): Promise<string> {
  const texts: string[] = []
  const query = async (statement: Statement) => {
    texts.push(statement.text)
    return []
  }
  const record: AttemptRecord = {
    deliveryId: 'dlv_1',
    webhookId: 'whk_1',
    eventId: 'evt_1',
    messageId: 'msg_1',
    batch: null,
    attempt: 1,
    at: new Date(0),
    requestBody: null,
    requestHead: null,
    request: null,
    responseStatus: 200,
    durationMs: 1,
    responseBody: null,
    error: null,
    leaseUntil: new Date(0),
    state: 'delivered',
    dueAt: null,
    ...more,
  }
  await recordAttempts({ query } as Queryable, 'acc_own', [record], new Date(0))
  return texts.join(';\n')
}

test('attempts are recorded by the reviewed statements', async () => {
  assertStatements(SNAPSHOT, {
    'all were delivered': await textOf({}),
    'some were not': await textOf({ state: 'failed' }),
    'delivered without the queue': await textOf({ batch: { id: 'bat_1', left: 1 }, request: '' }),
    'not delivered, without the queue': await textOf({
      state: 'failed',
      batch: { id: 'bat_1', left: 1 },
    }),
  })
})
