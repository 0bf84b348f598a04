// What a log line leaves out: secrets by name, and everything that a driver's error carries along.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Log, openLog } from './log.js'
import { DatabaseFailure } from './postgres/db-failure.js'

function memoryLog(): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { log: openLog('debug', { write: (line: string) => void lines.push(line) }), lines }
}

test('a token, secret, or password that is logged by its name is left out', () => {
  const { log, lines } = memoryLog()
  for (const name of ['authorization', 'token', 'secret', 'password']) log.info({ [name]: 'pssst' })
  log.info({ req: { headers: { authorization: 'pssst', accept: 'text/html' } } })
  assert.equal(lines.length, 5)
  for (const line of lines) assert.equal(line.includes('pssst'), false, line)
  assert.match(lines.at(-1)!, /text\/html/)
})

test('an error is logged only with its type, message, code, and constraint', () => {
  const { log, lines } = memoryLog()
  const err = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'numbers_pkey',
    detail: 'Key (number)=(+14155550101) already exists.',
    where: 'COPY messages, line 1: "Hello"',
    client: { connectionParameters: { password: 'pssst' } },
  })
  log.error({ err }, 'failed')
  const { type, message, code, constraint, stack, ...rest } = JSON.parse(lines[0]!).err
  assert.deepEqual(
    { type, message, code, constraint },
    { type: 'Error', message: 'duplicate key', code: '23505', constraint: 'numbers_pkey' },
  )
  assert.match(stack, /log\.test/)
  assert.deepEqual(rest, {})
  log.error({ err: 'plain text' }, 'failed')
  assert.deepEqual(JSON.parse(lines[1]!).err, { message: 'plain text' })
})

test('a line has its time and level, but neither machine nor process', () => {
  const { log, lines } = memoryLog()
  log.warn({ webhook: 'whk_1' }, 'logged')
  const { time, ...rest } = JSON.parse(lines[0]!)
  assert.equal(new Date(time).toISOString(), time)
  assert.deepEqual(rest, { level: 40, webhook: 'whk_1', msg: 'logged' })
})

test('repeated database problems are logged once in a while, each kind separately', () => {
  const { log, lines } = memoryLog()
  const err = new DatabaseFailure('database_unavailable', 'gone')
  for (let i = 0; i < 3; i += 1) log.warn({ err }, 'claiming failed')
  log.warn({ err }, 'delivering failed')
  log.warn({ err: new Error('our error') }, 'claiming failed')
  const logged = lines.map((line) => JSON.parse(line))
  assert.deepEqual(
    logged.map(({ msg, alike }) => [msg, alike]),
    [
      ['claiming failed', 0],
      ['delivering failed', 0],
      ['claiming failed', undefined],
    ],
  )
})
