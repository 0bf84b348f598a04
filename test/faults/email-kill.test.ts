// kill -9 of the process that sends emails: none is lost, and at most the one that was being sent is repeated.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { queueEmail } from '../../src/mail/email-queries.js'
import { eventually, testService } from '../harness.js'
import { smtpReceiver } from '../smtp-receiver.js'
import { forkNode } from './node-process.js'

const EMAILS = 60
/** Killed after the mail server has received this many. */
const KILLED_AT = [5, 20, 40]

test('emails survive kill -9: none is lost, and each kill repeats at most one', async (t) => {
  const receiver = await smtpReceiver(t)
  const service = await testService(t)
  const { db, clock } = service.world
  const content = { subject: 'Hello', paragraphs: ['Hello'], link: null, reason: 'A test' }
  await db.transaction(async (tx) => {
    for (let i = 0; i < EMAILS; i += 1) {
      const recipient = `person${i}@example.com`
      const email = { recipient, about: 'alr_1', content }
      assert.ok(await queueEmail(tx, service.accountId, email, clock.machineNow()))
    }
  })
  const settings = {
    LONGCODE_ROLES: 'schedule',
    LONGCODE_SMTP_URL: receiver.url,
    LONGCODE_SMTP_FROM: 'alerts@longcode.test',
  }
  const unfinished = async () => {
    const rows = await db.query(sql`select 1 from emails where finished_at is null`)
    return rows.length
  }
  for (const count of [...KILLED_AT, EMAILS]) {
    const child = forkNode(service.databaseUrl, settings)
    t.after(() => child.kill('SIGKILL'))
    if (count < EMAILS) await eventually(async () => receiver.emails.length >= count, `${count}`)
    else await eventually(async () => (await unfinished()) === 0, 'the rest')
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (count < EMAILS) assert.ok((await unfinished()) > 0, 'it was killed while it sent')
    // As if the lease of the killed process had ended.
    await db.query(sql`update emails set due_at = ${new Date(0)} where due_at is not null`)
  }
  const ids = new Map<string, Set<string>>()
  for (const { recipients, text } of receiver.emails) {
    const known = ids.get(recipients[0]!) ?? new Set()
    ids.set(recipients[0]!, known.add(/^Message-ID: (.*)$/m.exec(text)![1]!))
  }
  assert.equal(ids.size, EMAILS, 'everyone got it')
  const repeated = receiver.emails.length - EMAILS
  assert.ok(repeated <= KILLED_AT.length, `${repeated} were repeated`)
  for (const [recipient, known] of ids) assert.equal(known.size, 1, `${recipient}: one Message-ID`)
})
