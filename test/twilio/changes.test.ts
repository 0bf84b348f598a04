// Apps that use Twilio's packages cancel, redact, and delete messages, and manage numbers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageIdOf, numberSid, serviceSid } from '../../src/twilio/sids.js'
import { activeCampaign, addInventory } from '../fixtures.js'
import { VZW } from '../sending.js'
import { codeOf, twilioStage, VERSIONS } from './stage.js'

test('every version of the package cancels a scheduled message, once', async (t) => {
  const { client, number, campaignId, service } = await twilioStage(t)
  for (const version of VERSIONS) {
    const { messages } = client(version)
    const scheduled = await messages.create({
      to: VZW,
      messagingServiceSid: serviceSid(campaignId),
      body: 'later',
      sendAt: new Date(service.world.clock.nowMs() + 3_600_000),
      scheduleType: 'fixed',
    })
    assert.equal(scheduled.status, 'scheduled')
    assert.deepEqual(await codeOf(messages(scheduled.sid).update({ body: '' })), [20009, 409])
    const canceled = await messages(scheduled.sid).update({ status: 'canceled' })
    assert.deepEqual(
      [canceled.status, canceled.errorCode, canceled.price],
      ['canceled', null, null],
    )
    const again = messages(scheduled.sid).update({ status: 'canceled' })
    assert.deepEqual(await codeOf(again), [20409, 409])
    const waiting = await messages.create({ to: VZW, from: number, body: 'now' })
    assert.deepEqual(await codeOf(messages(waiting.sid).remove()), [20009, 409])
    const other = messages(scheduled.sid).update({ body: 'other' })
    assert.deepEqual(await codeOf(other), [20001, 400])
  }
})

test('every version of the package redacts and deletes a message that was sent', async (t) => {
  const { client, number, until, message } = await twilioStage(t, { roles: ['dispatch'] })
  for (const version of VERSIONS) {
    const { messages } = client(version)
    const { sid } = await messages.create({ to: VZW, from: number, body: 'a secret' })
    await until(messageIdOf(sid)!, 'DELIVERED')
    const delivered = await messages(sid).fetch()
    assert.deepEqual([delivered.status, delivered.errorCode], ['delivered', null])
    assert.ok(delivered.dateSent instanceof Date)
    assert.equal((await messages(sid).update({ body: '' })).body, '')
    assert.equal((await message(messageIdOf(sid)!)).body, '')
    assert.equal(await messages(sid).remove(), true)
    assert.deepEqual(await codeOf(messages(sid).fetch()), [20404, 404])
    assert.equal((await messages.list()).length, 0)
  }
})

test('failures have the codes that apps know', async (t) => {
  const { client, number, until } = await twilioStage(t, { roles: ['dispatch'] })
  const { messages } = client()
  const { sid } = await messages.create({ to: '+14155550110', from: number, body: 'x' })
  await until(messageIdOf(sid)!, 'FAILED')
  const failed = await messages(sid).fetch()
  assert.ok(['undelivered', 'failed'].includes(failed.status), failed.status)
  assert.ok(failed.errorCode >= 20000, String(failed.errorCode))
  assert.equal(typeof failed.errorMessage, 'string')
})

const AREA_CODES = [628, 510, 707]

test('numbers are searched, bought, given a URL, and released', async (t) => {
  const { client, number, service } = await twilioStage(t)
  for (const [i, version] of VERSIONS.entries()) {
    const areaCode = AREA_CODES[i]!
    const wanted = `+1${areaCode}2300001`
    await addInventory(service, [wanted, `+1212230000${i}`])
    const api = client(version)
    const found = await api.availablePhoneNumbers('US').local.list({ areaCode, limit: 5 })
    assert.deepEqual(
      found.map(({ phoneNumber }) => phoneNumber),
      [wanted],
    )
    const pattern = await api.availablePhoneNumbers('US').local.list({ contains: '212*30' })
    assert.equal(pattern.length, i + 1)
    const toll = await api.availablePhoneNumbers('US').tollFree.list()
    assert.deepEqual(toll, [])
    const smsUrl = 'http://127.0.0.1:9/sms'
    const bought = await api.incomingPhoneNumbers.create({ phoneNumber: wanted, smsUrl })
    assert.deepEqual([bought.sid, bought.smsUrl], [numberSid(wanted), smsUrl])
    const changed = await api.incomingPhoneNumbers(bought.sid).update({ smsUrl: `${smsUrl}2` })
    assert.equal(changed.smsUrl, `${smsUrl}2`)
    const listed = await api.incomingPhoneNumbers.list({ pageSize: 1 })
    assert.deepEqual(
      listed.map(({ phoneNumber, smsUrl: url }) => [phoneNumber, url]),
      [
        [wanted, `${smsUrl}2`],
        [number, ''],
      ],
    )
    const byNumber = await api.incomingPhoneNumbers.list({ phoneNumber: wanted })
    assert.equal(byNumber.length, 1)
    assert.equal(await api.incomingPhoneNumbers(bought.sid).remove(), true)
    assert.deepEqual(await codeOf(api.incomingPhoneNumbers(bought.sid).fetch()), [20404, 404])
    const sold = api.incomingPhoneNumbers.create({ phoneNumber: number })
    assert.deepEqual(await codeOf(sold), [21422, 400])
    const { body } = await service.get('/v1/webhook/list')
    assert.deepEqual(body.webhooks, [], 'the webhook of a released number is gone')
    const byArea = await api.incomingPhoneNumbers.create({ areaCode: String(areaCode) })
    assert.equal(byArea.phoneNumber, wanted)
    await api.incomingPhoneNumbers(byArea.sid).remove()
  }
})

test('a number that moved to another campaign has no URL until it is set again', async (t) => {
  const { client, number, service, campaignId } = await twilioStage(t)
  const one = client().incomingPhoneNumbers(numberSid(number))
  const smsUrl = 'http://127.0.0.1:9/sms'
  await one.update({ smsUrl, smsMethod: 'GET' })
  const { campaignId: next } = await activeCampaign(service)
  const ended = { confirm: campaignId, moveNumbersTo: next }
  assert.equal((await service.post(`/v1/campaign/${campaignId}/end`, ended)).status, 200)
  const moved = await one.fetch()
  assert.deepEqual([moved.smsUrl, moved.smsApplicationSid], ['', serviceSid(next)])
  assert.deepEqual((await one.update({ smsUrl, smsMethod: 'POST' })).smsMethod, 'POST')
  const { webhooks } = (await service.get('/v1/webhook/list')).body
  assert.deepEqual(
    webhooks.map(({ campaignId: id, format }: Record<string, string>) => [id, format]),
    [[next, 'twilio']],
  )
})
