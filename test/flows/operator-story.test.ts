// A customer from the first day, with human reviewers: opened, credited, registered, returned once, corrected,
// approved, sending. In the end the operator reads all of it in the audit log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BRAND_BODY_EXAMPLE } from '../../src/brands/brand-examples.js'
import { CAMPAIGN_BODY } from '../api/campaign-bodies.js'
import { OPERATOR_TOKEN, operatedService } from '../api/operator-service.js'
import { eventually, type Json } from '../harness.js'

test('an operator takes a customer from an empty service to a delivered message', async (t) => {
  const service = await operatedService(t, {
    roles: ['dispatch', 'schedule'],
    env: { LONGCODE_REGISTRY: 'manual' },
  })
  const operate = async (method: string, path: string, body?: unknown) => {
    const reply = await service.operate(method, path, body)
    assert.equal(reply.status, 200, `${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  // The operator gives a colleague a separate token and opens the account with it.
  const { operatorToken, token: colleague } = await operate('POST', '/token/create', {
    name: 'bea',
  })
  const opened = await service.post(
    '/operator/v1/account/create',
    { name: 'Acme Coffee' },
    { token: operatorToken },
  )
  const accountId = opened.body.account.id
  await operate('POST', `/account/${accountId}/credit`, { amount: 50, note: 'First payment' })
  const { accessToken } = await operate('POST', `/account/${accountId}/token/create`, {})
  const csv = 'number,monthlyPrice,location\n+14152004000,1.00,"San Francisco, CA"\n'
  await operate('POST', '/number/import', { csv })

  const customer = async (method: string, path: string, body?: unknown) => {
    const reply = await service.call(method, path, body, { token: accessToken })
    assert.equal(reply.status, 200, `${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  // The customer registers, and nothing is decided automatically.
  const { brand } = await customer('POST', '/v1/brand/create', BRAND_BODY_EXAMPLE)
  const { campaign } = await customer('POST', '/v1/campaign/create', {
    ...CAMPAIGN_BODY,
    brandId: brand.id,
    sample1: 'Two for one on Friday',
  })
  const ids = (list: Json[]) => list.map(({ id }) => id)
  assert.deepEqual(ids((await operate('GET', '/brand/list')).brands), [brand.id])
  await operate('POST', `/brand/${brand.id}/verify`)
  assert.deepEqual(ids((await operate('GET', '/campaign/list')).campaigns), [campaign.id])
  const notes = [{ field: 'sample1', note: 'Name the brand, and say how to opt out.' }]
  await operate('POST', `/campaign/${campaign.id}/return`, { notes })

  // Returned with a note, corrected and resubmitted without a second fee, approved.
  const returned = (await customer('GET', `/v1/campaign/${campaign.id}`)).campaign
  assert.deepEqual([returned.status, returned.reviewNotes], ['DRAFT', notes])
  const sample1 = 'Acme Coffee: two for one on Friday. Reply STOP to opt out.'
  await customer('PATCH', `/v1/campaign/${campaign.id}`, { sample1 })
  await customer('POST', `/v1/campaign/${campaign.id}/submit`)
  assert.equal((await customer('GET', '/v1/account')).account.balance, 30)
  await operate('POST', `/campaign/${campaign.id}/approve`)

  // The customer buys the number and sends.
  await customer('POST', `/v1/campaign/${campaign.id}/number/buy`, { number: '+14152004000' })
  const { id } = await customer('POST', '/v1/message/send', {
    campaign: campaign.id,
    to: '+14155550101',
    body: 'Acme Coffee: your table is ready.',
  })
  const delivered = await eventually(async () => {
    const { message } = await customer('GET', `/v1/message/${id}`)
    return message.status === 'DELIVERED' && message
  })
  assert.equal(delivered.from, '+14152004000')
  const { account } = await operate('GET', `/account/${accountId}`)
  assert.equal(account.balance, 50 - 20 - 1 - 0.0079)

  // All of it is in the log, newest first, and each act names who did it.
  const { acts } = await operate('GET', '/audit/list?limit=100')
  assert.deepEqual(
    acts.map((act: Json) => [act.act, (act.actor as Json).name, act.subject]).reverse(),
    [
      ['operator_token.create', 'LONGCODE_OPERATOR_TOKEN', colleague.id],
      ['account.create', 'bea', accountId],
      ['account.credit', 'LONGCODE_OPERATOR_TOKEN', accountId],
      ['token.create', 'LONGCODE_OPERATOR_TOKEN', acts.at(-4).subject],
      ['number.import', 'LONGCODE_OPERATOR_TOKEN', null],
      ['brand.verify', 'LONGCODE_OPERATOR_TOKEN', brand.id],
      ['campaign.return', 'LONGCODE_OPERATOR_TOKEN', campaign.id],
      ['campaign.approve', 'LONGCODE_OPERATOR_TOKEN', campaign.id],
    ],
  )
  const ofCustomer = await operate('GET', `/audit/list?account=${accountId}`)
  assert.equal(ofCustomer.acts.length, 6)
  assert.equal(JSON.stringify(acts).includes(OPERATOR_TOKEN), false)
  assert.equal(JSON.stringify(acts).includes(accessToken), false)
})
