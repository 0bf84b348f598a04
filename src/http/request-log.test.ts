// One log line per response, at the right level, with a unique request ID.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../kit/log.js'
import { logAnswer, nextRequestId } from './request-log.js'

type Line = [level: string, fields: object, text: string]

function logged(status: number, enabled: readonly string[], ms = 1): Line[] {
  const lines: Line[] = []
  const at = (level: string) => (fields: object, text: string) => lines.push([level, fields, text])
  const log = {
    isLevelEnabled: (level: string) => enabled.includes(level),
    debug: at('debug'),
    info: at('info'),
    error: at('error'),
  }
  const answered = { requestId: 'req_1', method: 'GET', route: '/x', status, ms, account: 'acc_1' }
  logAnswer(log as unknown as Log, answered)
  return lines
}

const ALL = ['debug', 'info', 'error']

test('successes are logged at debug, refusals at info, and faults at error', () => {
  const levelOf = (status: number) => logged(status, ALL)[0]![0]
  for (const status of [200, 304, 399, 503]) assert.equal(levelOf(status), 'debug', `${status}`)
  for (const status of [400, 404, 429, 499]) assert.equal(levelOf(status), 'info', `${status}`)
  for (const status of [500, 502, 504]) assert.equal(levelOf(status), 'error', `${status}`)
  assert.deepEqual(logged(200, ['info', 'error']), [])
  assert.deepEqual(logged(404, ['error']), [])
})

test('a line shows who requested what, the result, and how long it took', () => {
  const fields = { requestId: 'req_1', method: 'GET', route: '/x', status: 404, account: 'acc_1' }
  assert.deepEqual(logged(404, ALL, 12.3456), [['info', { ...fields, ms: 12.3 }, 'request']])
})

test('request IDs have one form and are unique', () => {
  const ids = Array.from({ length: 100 }, nextRequestId)
  for (const id of ids) assert.match(id, /^req_[0-9a-f]{12}[0-9a-z]{7}$/)
  assert.equal(new Set(ids).size, 100)
  assert.deepEqual([...ids].sort(), ids, 'later IDs sort after earlier ones')
})
