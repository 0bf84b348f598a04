// Emails about alerts, with a real SMTP server: who gets them, what they say, retries, and a kill at the worst time.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkAll } from '../../src/alerts/watch-alerts.js'
import type { Role } from '../../src/kit/config.js'
import { sql } from '../../src/kit/postgres/sql.js'
import {
  claimEmail,
  EMAILS_PER_HOUR_MAX,
  listDueEmails,
  queueEmail,
} from '../../src/mail/email-queries.js'
import { sendEmails } from '../../src/mail/send-emails.js'
import { createMailer } from '../../src/mail/smtp.js'
import { alertSources } from '../../src/operator/alerts/alert-sources.js'
import { findBranding } from '../../src/operator/branding/branding-queries.js'
import { mergeBranding } from '../../src/operator/branding/set-branding.js'
import { addFinished } from '../finished-messages.js'
import { eventually, type TestService } from '../harness.js'
import { OPERATOR_TOKEN, personWith } from '../people-fixtures.js'
import { sendingService } from '../sending.js'
import { type SmtpReceiver, smtpReceiver } from '../smtp-receiver.js'

async function start(t: TestContext, roles: readonly Role[] = []) {
  const receiver = await smtpReceiver(t)
  const { service, campaignId } = await sendingService(t, {
    roles,
    env: {
      LONGCODE_SMTP_URL: receiver.url,
      LONGCODE_SMTP_FROM: 'Longcode <alerts@longcode.test>',
      LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    },
  })
  return { receiver, service, campaignId }
}

const check = (service: TestService) => checkAll(service.world, alertSources)

/** One round, as the loop does it. */
function sendDue({ world }: TestService): Promise<number> {
  return sendEmails(world, createMailer(world.config.smtp!), async (db, accountId) =>
    mergeBranding(await findBranding(db, accountId), world.config.branding),
  )
}

interface Stored {
  recipient: string
  attempts: number
  isDone: boolean
  problem: string | null
}

function stored(service: TestService): Promise<Stored[]> {
  return service.world.db.query<Stored>(sql`
    select recipient, attempts, finished_at is not null as "isDone", problem from emails
    order by recipient`)
}

/** As if the wait for the next attempt, or the lease of a killed process, were over. */
async function skipWait({ world }: TestService): Promise<void> {
  await world.db.query(sql`
    update emails set due_at = ${new Date(0)} where due_at is not null`)
}

const recipientsIn = ({ emails }: SmtpReceiver) => emails.flatMap((one) => one.recipients).sort()

async function lowAtt(service: TestService, campaignId: string): Promise<void> {
  await addFinished(service, { campaignId, route: 'att-sms', delivered: 314, failed: 941 })
}

test('owners and admins get one email about an alert, with the branding of the account', async (t) => {
  const { receiver, service, campaignId } = await start(t)
  for (const role of ['owner', 'admin', 'developer', 'agent', 'billing', 'read-only']) {
    await personWith(service, role)
  }
  const branding = { name: 'Kite <Texting>', color: '#006972', support: 'help@kite.example' }
  const url = `/operator/v1/account/${service.accountId}/branding`
  await service.call('PUT', url, branding, { token: OPERATOR_TOKEN })
  await lowAtt(service, campaignId)
  await check(service)
  assert.equal(await sendDue(service), 2)
  await check(service)
  assert.equal(await sendDue(service), 0)
  assert.deepEqual(recipientsIn(receiver), ['admin@example.com', 'owner@example.com'])
  const { text } = receiver.emails[0]!
  assert.match(text, /^From: Longcode <alerts@longcode\.test>$/m)
  assert.match(text, /^Message-ID: <eml_\w+@longcode\.test>$/m)
  assert.match(text, /^Subject: Low delivery rate of a carrier: .*\(Kite <Texting>\)$/m)
  assert.match(text, /AT&T: 25\.0% of 1,255 finished messages were delivered\./)
  assert.match(text, /What to do: Send only what the campaign is registered for/)
  assert.match(text, /help@kite\.example/)
  assert.match(text, /Kite &lt;Texting&gt;/, 'the HTML part is escaped')
  assert.match(text, /#006972/)
})

test('a low balance is also reported to billing, and muted kinds to nobody', async (t) => {
  const { receiver, service } = await start(t)
  for (const role of ['owner', 'billing', 'agent']) await personWith(service, role)
  const { db, clock } = service.world
  const day = new Date(Math.floor(clock.now().getTime() / 86_400_000) * 86_400_000)
  const spend = async (unit: string, start: Date) =>
    db.query(sql`
      insert into usage_sums (account_id, unit, start, campaign_id, messages, segments, cost_micros)
      values (${service.accountId}, ${unit}, ${start}, 'cmp_x', 1, 1, 5000000000)`)
  await spend('day', new Date(day.getTime() - 86_400_000))
  await lowAttWithoutPeople(service)
  await check(service)
  await sendDue(service)
  assert.deepEqual(recipientsIn(receiver), ['billing@example.com', 'owner@example.com'])
  await service.world.db.query(sql`delete from usage_sums where campaign_id = 'cmp_x'`)
})

/** Traffic, so that the account is checked, in a kind that is muted. */
async function lowAttWithoutPeople(service: TestService): Promise<void> {
  await service.call('PUT', '/v1/alert/settings', { mutedKinds: ['network_delivery'] })
  await addFinished(service, { campaignId: 'cmp_y', route: 'att-sms', delivered: 10, failed: 90 })
}

test('a server that fails for a while gets the email later, and a final refusal ends it', async (t) => {
  const { receiver, service, campaignId } = await start(t)
  await personWith(service, 'owner')
  await lowAtt(service, campaignId)
  await check(service)
  receiver.answer('451 Try again later, owner@example.com')
  assert.equal(await sendDue(service), 1)
  assert.equal(await sendDue(service), 0, 'not before the wait is over')
  const waiting = { recipient: 'owner@example.com', isDone: false }
  assert.deepEqual(await stored(service), [{ ...waiting, attempts: 1, problem: 'EMESSAGE 451' }])
  await skipWait(service)
  receiver.answer('250 OK')
  assert.equal(await sendDue(service), 1)
  assert.deepEqual(recipientsIn(receiver), ['owner@example.com'])
  const done = { recipient: 'owner@example.com', isDone: true }
  assert.deepEqual(await stored(service), [{ ...done, attempts: 2, problem: null }])

  await service.world.db.query(sql`delete from emails`)
  await service.world.db.query(sql`delete from alerts`)
  await check(service)
  receiver.answer('550 No such user')
  assert.equal(await sendDue(service), 1)
  assert.deepEqual(await stored(service), [{ ...done, attempts: 1, problem: 'EMESSAGE 550' }])
})

test('an unreachable server is retried five times, then the email is given up', async (t) => {
  const { service, campaignId } = await start(t)
  await personWith(service, 'owner')
  await lowAtt(service, campaignId)
  await check(service)
  const mailer = createMailer({ url: 'smtp://127.0.0.1:1', from: 'alerts@longcode.test' })
  const none = { name: null, color: null, support: null, logo: null }
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await skipWait(service)
    assert.equal(await sendEmails(service.world, mailer, async () => none), 1)
  }
  const [email] = await stored(service)
  assert.deepEqual([email!.attempts, email!.isDone, email!.problem], [6, true, 'ESOCKET'])
  assert.equal(await sendDue(service), 0)
})

test('several processes send an email once', async (t) => {
  const { receiver, service, campaignId } = await start(t)
  await personWith(service, 'owner')
  await lowAtt(service, campaignId)
  await check(service)
  await Promise.all(Array.from({ length: 5 }, () => sendDue(service)))
  assert.equal(receiver.emails.length, 1)
})

test('a process that dies before it sends leaves the email to another one', async (t) => {
  const { receiver, service, campaignId } = await start(t)
  await personWith(service, 'owner')
  await lowAtt(service, campaignId)
  await check(service)
  const { db, clock } = service.world
  const [email] = await listDueEmails(db, clock.machineNow(), 1)
  assert.ok(await claimEmail(db, email!, new Date(clock.machineNow().getTime() + 60_000)))
  assert.equal(await sendDue(service), 0, 'not while its lease lasts')
  await skipWait(service)
  assert.equal(await sendDue(service), 1)
  assert.equal(receiver.emails.length, 1)
})

test('an email whose answer is lost, as after a kill, is repeated once with the same ID', async (t) => {
  const { receiver, service, campaignId } = await start(t)
  await personWith(service, 'owner')
  await lowAtt(service, campaignId)
  await check(service)
  // The server has stored the email, but its answer is lost, as with kill -9.
  receiver.answer(null)
  await sendDue(service)
  receiver.answer('250 OK')
  assert.equal(await sendDue(service), 0, 'nobody repeats it at once')
  await skipWait(service)
  await sendDue(service)
  const ids = receiver.emails.map(({ text }) => /^Message-ID: (.*)$/m.exec(text)?.[1])
  assert.equal(ids.length, 2)
  assert.equal(new Set(ids).size, 1)
})

test('one person gets a limited number of emails per hour, and never two about one thing', async (t) => {
  const { service } = await start(t)
  const { db, clock } = service.world
  const content = { subject: 's', paragraphs: [], link: null, reason: 'r' }
  const queue = (about: string) =>
    db.transaction((tx) =>
      queueEmail(
        tx,
        service.accountId,
        { recipient: 'a@b.test', about, content },
        clock.machineNow(),
      ),
    )
  assert.equal(await queue('one'), true)
  assert.equal(await queue('one'), false)
  for (let i = 1; i < EMAILS_PER_HOUR_MAX; i += 1) assert.equal(await queue(`other ${i}`), true)
  assert.equal(await queue('too many'), false)
})

test('a running service checks, raises, and sends without a request', async (t) => {
  const { receiver, service, campaignId } = await start(t, ['schedule'])
  await personWith(service, 'owner')
  await lowAtt(service, campaignId)
  await eventually(async () => receiver.emails.length > 0, 'an email')
  assert.deepEqual(recipientsIn(receiver), ['owner@example.com'])
})
