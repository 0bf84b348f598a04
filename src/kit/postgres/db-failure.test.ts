// Which errors mean that the database is temporarily unavailable, and which are our own bugs or refusals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asConnectFailure, asFailure, DatabaseFailure, isConnectionOver } from './db-failure.js'

function troubleOf(message: string, code?: string): string | null {
  const failure = asFailure(Object.assign(new Error(message), code && { code }))
  return failure instanceof DatabaseFailure ? failure.trouble : null
}

test('lost connections, timeouts, and restarts are database_unavailable', () => {
  const codes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND']
  const states = ['57P01', '57P02', '57P03', '08006', '28P01', '3D000', '25P03', '58030']
  for (const code of [...codes, ...states]) {
    assert.equal(troubleOf('x', code), 'database_unavailable', code)
  }
  for (const words of ['Connection terminated unexpectedly', 'timeout expired']) {
    assert.equal(troubleOf(words), 'database_unavailable', words)
  }
})

test('full, read-only, and busy have their own codes', () => {
  for (const code of ['53100', '53200']) assert.equal(troubleOf('x', code), 'database_full')
  assert.equal(troubleOf('x', '25006'), 'database_read_only')
  for (const code of ['53300', '55P03', '57014', '40P01', '40001']) {
    assert.equal(troubleOf('x', code), 'database_busy', code)
  }
})

test('a statement for a shard that Citus has replaced may be retried, like a serialization failure', () => {
  const text = 'could not find valid entry for shard 102345'
  const failure = asFailure(Object.assign(new Error(text), { code: 'XX000' })) as DatabaseFailure
  assert.deepEqual(
    [failure.trouble, failure.code, failure.message],
    ['database_busy', '40001', text],
  )
  assert.equal(isConnectionOver(failure), false)
})

test('a violated constraint, a wrong statement, or a bug stays unchanged', () => {
  for (const code of ['23505', '42601', '22P02', 'XX000', 'ERR_INVALID_ARG_TYPE']) {
    assert.equal(troubleOf('x', code), null, code)
  }
  assert.equal(troubleOf('Query values must be an array'), null)
  assert.equal(asFailure('thrown text'), 'thrown text')
})

test('any failure to connect means that the database is down', () => {
  const closed = Object.assign(new Error('not accepting connections'), { code: '55000' })
  const failure = asConnectFailure(closed)
  assert.deepEqual([failure.trouble, failure.code], ['database_unavailable', '55000'])
  const full = Object.assign(new Error('too many clients'), { code: '53300' })
  assert.equal(asConnectFailure(full).trouble, 'database_busy')
})

test('a connection is closed if it can no longer be used', () => {
  const isOver = (code: string) =>
    isConnectionOver(asFailure(Object.assign(new Error('x'), { code })))
  for (const code of ['ECONNRESET', '57P01', '25006']) assert.equal(isOver(code), true, code)
  for (const code of ['55P03', '57014', '53100', '23505']) assert.equal(isOver(code), false, code)
})

test('if the server reports that a worker is down, the connection to the server stays', () => {
  const said = (severity: string) =>
    asFailure(
      Object.assign(new Error('connection to the remote node failed'), { code: '08006', severity }),
    )
  const away = said('ERROR') as DatabaseFailure
  assert.deepEqual([away.trouble, away.isWorkerAway], ['database_unavailable', true])
  assert.equal(isConnectionOver(away), false)
  const words = 'could not commit transaction for shard 102088 on at least one active node'
  const lost = asFailure(Object.assign(new Error(words), { code: 'XX000', severity: 'ERROR' }))
  assert.equal((lost as DatabaseFailure).isWorkerAway, true)
  const end = said('FATAL') as DatabaseFailure
  assert.deepEqual([end.isWorkerAway, isConnectionOver(end)], [false, true])
})
