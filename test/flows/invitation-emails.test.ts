// Invitations by email, with a real SMTP server: what they say, that the link in them works, and that it is not stored longer
// than necessary.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { INVITATIONS_PER_HOUR_MAX } from '../../src/mail/email-queries.js'
import { sendEmails } from '../../src/mail/send-emails.js'
import { createMailer } from '../../src/mail/smtp.js'
import { findBranding } from '../../src/operator/branding/branding-queries.js'
import { mergeBranding } from '../../src/operator/branding/set-branding.js'
import { type TestService, testService } from '../harness.js'
import { join, OPERATOR_TOKEN, personWith } from '../people-fixtures.js'
import { smtpReceiver } from '../smtp-receiver.js'

const INVITE = '/console/people/invitation'

async function start(t: TestContext) {
  const receiver = await smtpReceiver(t)
  const service = await testService(t, {
    env: {
      LONGCODE_SMTP_URL: receiver.url,
      LONGCODE_SMTP_FROM: 'Longcode <alerts@longcode.test>',
      LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN,
    },
  })
  return { receiver, service }
}

function sendDue({ world }: TestService): Promise<number> {
  return sendEmails(world, createMailer(world.config.smtp!), async (db, accountId) =>
    mergeBranding(await findBranding(db, accountId), world.config.branding),
  )
}

async function linksStored(service: TestService): Promise<number> {
  const rows = await service.world.db.query(sql`
    select 1 from emails where content::text like '%lci_%'`)
  return rows.length
}

test('an invitation is emailed with a link that works once, and the link is erased', async (t) => {
  const { receiver, service } = await start(t)
  const branding = { name: 'Kite Texting', color: '#006972', support: 'help@kite.example' }
  const url = `/operator/v1/account/${service.accountId}/branding`
  await service.call('PUT', url, branding, { token: OPERATOR_TOKEN })
  const owner = await personWith(service, 'owner')
  await sendDue(service)
  const reply = await owner.request('POST', INVITE, { email: 'ben@example.com', role: 'agent' })
  assert.deepEqual([reply.status, reply.body.emailed], [200, true])
  assert.equal(await linksStored(service), 1)
  assert.equal(await sendDue(service), 1)
  assert.equal(await linksStored(service), 0)
  const { recipients, text } = receiver.emails.at(-1)!
  assert.deepEqual(recipients, ['ben@example.com'])
  assert.match(text, /^Subject: Invitation to .* \(Kite Texting\)$/m)
  assert.match(text, /The owner invited you to .* with the role agent\./)
  assert.match(text, /It works once, until |The link works once, until /)
  assert.match(text, /help@kite\.example/)
  // In the plain text, = is written as =3D.
  const link = /Accept the invitation: (\S+)/.exec(text)![1]!.replaceAll('=3D', '=')
  assert.equal(link, reply.body.url)
  const ben = await join(service, link, 'Ben Okafor')
  const { account } = (await ben.request('GET', '/console/session')).body
  assert.equal(account.accountId, service.accountId)
})

test('an invitation that is replaced, withdrawn, or used is not emailed', async (t) => {
  const { receiver, service } = await start(t)
  const invite = async (email: string) => {
    const { status, body } = await service.post(INVITE, { email, role: 'agent' })
    assert.deepEqual([status, body.emailed], [200, true])
    return body
  }
  await invite('replaced@example.com')
  await invite('replaced@example.com')
  const { invitation } = await invite('withdrawn@example.com')
  assert.equal((await service.call('DELETE', `${INVITE}/${invitation.id}`)).status, 200)
  await join(service, (await invite('quick@example.com')).url)
  assert.equal(await sendDue(service), 1)
  assert.deepEqual(
    receiver.emails.flatMap(({ recipients }) => recipients),
    ['replaced@example.com'],
  )
})

test('operators invite by email too, and a recovery link is only shown', async (t) => {
  const { receiver, service } = await start(t)
  const options = { token: OPERATOR_TOKEN }
  const body = { email: 'rita@example.com', role: 'reviewer' }
  const invited = await service.post('/operator/v1/user/invitation', body, options)
  assert.equal(invited.body.emailed, true)
  assert.equal(await sendDue(service), 1)
  assert.match(receiver.emails[0]!.text, /^Subject: Invitation as reviewer \(Longcode\)$/m)
  assert.match(receiver.emails[0]!.text, /You are invited with the role reviewer\./)
  const { userId } = await join(service, invited.body.url)
  const recovery = await service.post(`/operator/v1/user/${userId}/recover`, {}, options)
  assert.equal(recovery.status, 200)
  assert.equal(await sendDue(service), 0)
})

test('an account emails a limited number of invitations per hour, and the link is shown anyway', async (t) => {
  const { service } = await start(t)
  const invite = async (i: number) => {
    const { status, body } = await service.post(INVITE, {
      email: `p${i}@example.com`,
      role: 'agent',
    })
    assert.equal(status, 200)
    assert.match(body.url, /#k=lci_/)
    return body.emailed
  }
  for (let i = 0; i < INVITATIONS_PER_HOUR_MAX; i += 1) assert.equal(await invite(i), true)
  assert.equal(await invite(INVITATIONS_PER_HOUR_MAX), false)
})

test('the name of a person never brings an address into an email, and without a mail server none is sent', async (t) => {
  const { receiver, service } = await start(t)
  const first = await service.post(INVITE, { email: 'eve@example.com', role: 'owner' })
  const eve = await join(service, first.body.url, 'Visit evil.example now')
  await eve.request('POST', INVITE, { email: 'victim@example.com', role: 'agent' })
  await sendDue(service)
  const { recipients, text } = receiver.emails.at(-1)!
  assert.deepEqual(recipients, ['victim@example.com'])
  assert.doesNotMatch(text, /evil/)
  assert.match(text, /You are invited to /)

  const silent = await testService(t)
  const reply = await silent.post(INVITE, { email: 'ben@example.com', role: 'agent' })
  assert.deepEqual([reply.status, reply.body.emailed], [200, false])
  assert.deepEqual(await silent.world.db.query(sql`select 1 from emails`), [])
})
