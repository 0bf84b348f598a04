// The callbacks of a provider at its link: which are refused, what each brings, and which message a receipt is about.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { SENDER_REFUSED } from '../../src/messages/message-errors.js'
import { BASE, callbackTo, linkStage } from './link-stage.js'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const HEADERS = { authorization: basic('cu:hush-hush-hush') }
const OURS = { accountId: 'acc_1', id: 'msg_1' } as const
const NUMBER = '+14152000001'
const PHONE = '+14155550107'

const delivered = (more: object = {}, event: object = {}) =>
  JSON.stringify([
    {
      ...{ type: 'message-delivered', to: PHONE, carrierName: 'Verizon' },
      ...{ ...event, message: { id: 'm-1', from: NUMBER, ...more } },
    },
  ])

test('a callback is refused if it is not a POST, not genuine, or unreadable, and the rest is stored', async (t) => {
  const { link, start, heard } = await linkStage(t, 'bandwidth')
  await start()
  const statusOf = async (...args: Parameters<typeof callbackTo>) =>
    (await link.callback!('acme', callbackTo(...args)))?.status
  assert.equal(await statusOf('/', delivered(), HEADERS, 'GET'), 405)
  assert.equal(await statusOf('/', delivered(), { authorization: basic('cu:other') }), 403)
  assert.equal(await statusOf('/', delivered()), 403)
  assert.equal(await statusOf('/', '{}', HEADERS), 400)
  assert.deepEqual(heard.receipts, [])
  assert.equal(await statusOf('/', delivered(), HEADERS), 200)
  assert.equal(await statusOf('/', '[]', HEADERS), 200)
  assert.equal(heard.receipts.length, 1)
})

test('a receipt is about the message that its sealed URL or tag names, else about the provider’s id', async (t) => {
  const { link, start, heard, address } = await linkStage(t, 'bandwidth')
  await start()
  const sealed = address.statusOf(OURS).slice(BASE.length)
  const forged = `${sealed.slice(0, -22)}${'A'.repeat(22)}`
  const other = address.statusOf({ ...OURS, id: 'msg_2' }).slice(BASE.length)
  const ofMessage = async (path: string, tag?: string) => {
    await link.callback!('acme', callbackTo(path, delivered({ tag }), HEADERS))
    const { of, carrierId } = heard.receipts.at(-1)!
    return [of, carrierId]
  }
  const byId = [{ carrierIds: ['m-1'] }, undefined]
  assert.deepEqual(await ofMessage('/'), byId)
  assert.deepEqual(await ofMessage('/', forged), byId)
  assert.deepEqual(await ofMessage(forged), byId)
  assert.deepEqual(await ofMessage('/', sealed), [OURS, 'm-1'])
  assert.deepEqual(await ofMessage(sealed), [OURS, 'm-1'])
  assert.deepEqual(await ofMessage(sealed, other), [OURS, 'm-1'], 'the URL counts')
})

test('a receipt brings its status and codes, and what it reports about the phone and our number', async (t) => {
  const { link, start, heard, unmapped } = await linkStage(t, 'bandwidth')
  await start()
  const receiptOf = async (event: object) => {
    await link.callback!('acme', callbackTo('/', delivered({}, event), HEADERS))
    return heard.receipts.at(-1)
  }
  const named = { link: 'acme', of: { carrierIds: ['m-1'] } }
  assert.deepEqual(await receiptOf({}), {
    ...{ ...named, status: 'DELIVERED', errorCode: null, carrierCode: null },
  })
  assert.deepEqual(heard.learned, [[PHONE, { network: 'vzw' }]])
  const failed = (errorCode: number, description: string) =>
    receiptOf({ type: 'message-failed', errorCode, description })
  assert.deepEqual(await failed(4775, 'Opted out'), {
    ...{ ...named, status: 'FAILED', errorCode: 1330, carrierCode: '4775 Opted out' },
    isOptedOut: true,
  })
  assert.deepEqual(await failed(9902, 'None'), {
    ...{ ...named, status: 'SENT', errorCode: null, carrierCode: '9902 None' },
    isUnconfirmed: true,
  })
  assert.deepEqual([heard.refusedSenders, unmapped()], [[], []])
  const refused = await failed(4403, 'Not yours')
  assert.equal(refused?.errorCode, SENDER_REFUSED)
  assert.deepEqual(heard.refusedSenders, [[NUMBER, '4403 Not yours']])
  assert.equal((await failed(4999, 'New'))?.errorCode, 1499)
  assert.deepEqual(unmapped(), [['acme 4999', 1]])
})

test('an inbound message brings what its sender wrote, and what it reports about the phone', async (t) => {
  const { link, start, heard } = await linkStage(t, 'bandwidth')
  await start()
  const received = (carrierName?: string) =>
    JSON.stringify([
      {
        ...{ type: 'message-received', carrierName },
        message: {
          ...{ id: 'm-2', from: PHONE, owner: NUMBER, text: 'Hi', media: ['https://b.test/1'] },
          direction: 'in',
        },
      },
    ])
  await link.callback!('acme', callbackTo('/', received('AT&T'), HEADERS))
  await link.callback!('acme', callbackTo('/', received(), HEADERS))
  const inbound = {
    ...{ link: 'acme', carrierId: 'm-2', from: PHONE, to: NUMBER, body: 'Hi' },
    ...{ mediaUrls: ['https://b.test/1'], part: null, handledAs: null },
  }
  assert.deepEqual(heard.inbounds, [{ ...inbound, network: 'att' }, inbound])
  assert.deepEqual(heard.learned, [
    [PHONE, { network: 'att' }],
    [PHONE, {}],
  ])
})

test('a callback is answered only after it is stored', async (t) => {
  const { link, start, heard } = await linkStage(t, 'bandwidth')
  const call = () => link.callback!('acme', callbackTo('/', delivered(), HEADERS))
  await assert.rejects(call(), /the link is not started/)
  await start()
  heard.isBroken = true
  await assert.rejects(call(), /the database is away/)
  assert.deepEqual(await call(), { status: 200 })
})

test('the signed URL of a callback is the configured one, with the path after it', async (t) => {
  const { link, start, heard, address } = await linkStage(t, 'twilio')
  await start()
  const send = async (path: string, url: string) => {
    const body = 'MessageSid=SM1&MessageStatus=delivered&To=%2B1'
    const text = `${url}MessageSidSM1MessageStatusdeliveredTo+1`
    const signature = createHmac('sha1', 'tok').update(text).digest('base64')
    return link.callback!('acme', callbackTo(path, body, { 'x-twilio-signature': signature }))
  }
  const sealed = address.statusOf(OURS)
  assert.equal((await send('/', BASE))?.status, 200)
  assert.equal((await send('/', `${BASE}/`))?.status, 403)
  assert.deepEqual(await send(sealed.slice(BASE.length), sealed), {
    ...{ status: 200, contentType: 'text/xml', body: '<Response/>' },
  })
  assert.deepEqual(
    heard.receipts.map(({ of }) => of),
    [{ carrierIds: ['SM1'] }, OURS],
  )
})
