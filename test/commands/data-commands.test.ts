// `longcode export`, `redact`, and `migrate`, each run as a program.

import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'
import { commandStage, ON_TERMINAL, runCommand, temporaryFolder } from './run-command.js'

test('export writes all records to a private file or a pipe, and is in the audit log', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  await buyNumber(stage, campaignId)
  for (let i = 0; i < 3; i += 1) {
    await stage.post('/v1/message/send', { campaign: campaignId, to: '+14155550101', body: 'Hi' })
  }
  const file = path.join(temporaryFolder(t), 'a.ndjson')
  const [toFile, toPipe] = await Promise.all([
    stage.run('export', stage.accountId, '--out', file),
    stage.run('export'),
  ])
  assert.equal(toFile.out, '')
  assert.match(toFile.err, /^Exported \d+ records of acc_\w+\.\n$/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  for (const text of [readFileSync(file, 'utf8'), toPipe.out]) {
    const records = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).record)
    assert.equal(records[0], 'account')
    assert.equal(records.filter((record) => record === 'message').length, 3)
  }
  const acts = await stage.runJson('audit', '--act', 'account.export')
  assert.equal(acts.length, 2)
})

test('export draws a progress bar on a terminal, and only the records go to standard output', async (t) => {
  const stage = await commandStage(t)
  const { campaignId } = await activeCampaign(stage)
  await buyNumber(stage, campaignId)
  for (let i = 0; i < 3; i += 1) {
    await stage.post('/v1/message/send', { campaign: campaignId, to: '+14155550101', body: 'Hi' })
  }
  const { out, err } = await runCommand(['export'], stage.env, { nodeArgs: ON_TERMINAL })
  assert.match(err, /Exporting █{8}░{16} {2}33% {2}1 \/ 3/)
  assert.match(err, /Exporting █{24} 100% {2}3 \/ 3\nExported \d+ records of acc_\w+\.\n$/)
  assert.doesNotMatch(out, /Exporting/)
})

test('redact deletes texts older than the given days by the service’s clock', async (t) => {
  const stage = await commandStage(t, { roles: ['dispatch'] })
  const { campaignId } = await activeCampaign(stage)
  await buyNumber(stage, campaignId)
  const sent = await stage.post('/v1/message/send', {
    campaign: campaignId,
    to: '+14155550101',
    body: 'Secret',
  })
  const read = async () => (await stage.get(`/v1/message/${sent.body.id}`)).body.message
  await eventually(async () => (await read()).status === 'DELIVERED')
  await stage.post('/sandbox/clock/advance', { seconds: 10 * 24 * 60 * 60 })
  const [none, wrong] = await Promise.all([
    stage.run('redact', '--days', '30'),
    stage.run('redact', '--days', '0'),
  ])
  assert.equal(none.out, 'Deleted the texts of 0 messages in 1 account.\n')
  assert.equal(wrong.code, 2)
  const done = await stage.run('redact', '--days', '9', '--account', stage.accountId, '--media')
  assert.equal(done.out, 'Deleted the texts of 1 message and the media of 0 in 1 account.\n')
  assert.equal((await read()).body, '')
})

test('migrate applies missing migrations once, and other commands require it', async (t) => {
  const stage = await commandStage(t)
  const { db } = stage.world
  await db.query({ name: '', text: 'drop table account_retention, operator_tokens', values: [] })
  await db.query(sql`delete from migrations where name = '0013-operator.sql'`)
  const early = await stage.run('account', 'list')
  assert.deepEqual(
    [early.code, early.err],
    [1, 'The database is missing migrations: 0013-operator.sql. Run `longcode migrate` first.\n'],
  )
  assert.equal((await stage.run('migrate')).out, 'Applied: 0013-operator.sql\n')
  assert.equal((await stage.run('migrate')).out, 'Nothing to do.\n')
  await db.query(sql`update migrations set name = 'foreign.sql' where name = '0013-operator.sql'`)
  const refused = await stage.run('migrate')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^The database was made by another version and is left as it is .*\n$/)
})
