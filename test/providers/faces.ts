// The API format of each provider: how it parses requests, how it responds, and how it signs its callbacks or sends its
// password with them. fake-provider.ts has the behavior.

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { bandwidthNumbers, telnyxNumbers, twilioNumbers } from './fake-numbers.js'
import type { Call, Face, Taken } from './fake-provider.js'
import { bandwidthSetup, telnyxSetup, twilioSetup } from './fake-setup.js'

/** Every provider reports this number as a landline. */
export const LANDLINE = '+14155550166'

export interface TelnyxFace extends Face {
  publicKey: string
}

export function telnyxFace(): TelnyxFace {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const call = (url: string, type: string, payload: object): Call => {
    const data = { event_type: type, id: 'evt', occurred_at: new Date().toISOString(), payload }
    return signedCall(privateKey, url, JSON.stringify({ data, meta: { attempt: 1 } }))
  }
  const numberOf = (phone_number: string) => ({
    ...{ phone_number, carrier: 'T-MOBILE USA, INC.' },
    line_type: phone_number === LANDLINE ? 'Wireline' : 'Wireless',
  })
  return {
    document: 'telnyx',
    publicKey: raw.toString('base64'),
    read: (_request, body) => {
      const fields = JSON.parse(body)
      const { from, to, text = '', webhook_url: statusUrl } = fields
      return { from, to, text, statusUrl, tag: null, fields }
    },
    taken: ({ id, to }) => ({
      status: 200,
      body: { data: { id, to: [{ ...numberOf(to), status: 'queued' }] } },
    }),
    refused: (code) => ({
      status: 400,
      body: { errors: [{ code, title: 'Refused', detail: 'For a reason' }] },
    }),
    lookedUp: (number) => {
      const type = number === LANDLINE ? 'fixed line' : 'mobile'
      return { data: { phone_number: number, carrier: { name: 'Verizon Wireless', type } } }
    },
    list: () => ({ data: [] }),
    numbers: telnyxNumbers,
    setup: telnyxSetup,
    unauthorized: () => ({
      status: 401,
      body: { errors: [{ code: '10009', title: 'Authentication failed' }] },
    }),
    receipt: ({ id, to, statusUrl }, base, { status, code }) => {
      const said = { delivered: 'delivered', failed: 'delivery_failed', sent: 'sent' }
      const word = status === 'unconfirmed' ? 'delivery_unconfirmed' : said[status]
      const errors = code ? [{ code, title: 'Failed' }] : []
      const payload = { id, to: [{ ...numberOf(to), status: word }], errors }
      return call(
        statusUrl ?? base,
        status === 'sent' ? 'message.sent' : 'message.finalized',
        payload,
      )
    },
    registrationCallback: (url, what, id) =>
      call(url, `10dlc.${what}.update`, { [`${what}Id`]: id }),
    inbound: ({ id, from, to, text, mediaUrls = [] }, base) =>
      call(base, 'message.received', {
        ...{ id, text, from: numberOf(from), to: [{ phone_number: to }] },
        media: mediaUrls.map((url) => ({ url, content_type: 'image/png' })),
      }),
  }
}

function signedCall(key: KeyObject, url: string, body: string, at = Date.now()): Call {
  const timestamp = String(Math.floor(at / 1000))
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
  const headers = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp }
  return { url, headers, body }
}

export function bandwidthFace(user: string, password: string): Face {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const call = (url: string, event: object): Call => ({
    ...{ url, headers: { authorization }, body: JSON.stringify([event]) },
  })
  const time = new Date().toISOString()
  return {
    document: 'bandwidth',
    numbers: bandwidthNumbers,
    setup: bandwidthSetup,
    unauthorized: () => ({ status: 401, body: '' }),
    read: (_request, body) => {
      const fields = JSON.parse(body)
      const { from, to, text = '', tag } = fields
      return { from, to: to[0], text, statusUrl: null, tag, fields }
    },
    taken: ({ id, tag }) => ({ status: 202, body: { id, tag, segmentCount: 1 } }),
    refused: (code) => ({
      status: 400,
      body: { code, type: 'refused', description: 'For a reason' },
    }),
    lookedUp: (number) => {
      const lineType = number === LANDLINE ? 'FIXED' : 'MOBILE'
      return { data: { results: [{ phoneNumber: number, lineType, messagingProvider: 'AT&T' }] } }
    },
    list: (taken) => ({
      totalCount: taken.length,
      pageInfo: {},
      messages: taken.map(({ id, from, to, at }) => ({
        ...{ messageId: id, accountId: '55', sourceTn: from, destinationTn: to },
        ...{ messageStatus: 'DELIVERED', messageDirection: 'OUTBOUND', messageType: 'sms' },
        ...{ segmentCount: 1, errorCode: 0, receiveTime: at.toISOString(), carrierName: 'other' },
      })),
    }),
    receipt: ({ id, to, tag }, base, { status, code }) => {
      const word = status === 'unconfirmed' ? 'failed' : status
      const errorCode = status === 'unconfirmed' ? 9902 : code && Number(code)
      return call(base, {
        ...{ type: `message-${word}`, time, to, description: 'so it is', errorCode },
        message: { id, tag, direction: 'out', segmentCount: 1 },
      })
    },
    inbound: ({ id, from, to, text, mediaUrls }, base) =>
      call(base, {
        ...{ type: 'message-received', time, to, description: 'Incoming' },
        message: { id, from, to: [to], owner: to, text, media: mediaUrls, direction: 'in' },
      }),
  }
}

export function twilioFace(authToken: string): Face {
  const call = (url: string, fields: Record<string, string>): Call => {
    const form = new URLSearchParams(fields)
    const words = Object.keys(fields).sort()
    const signed = url + words.map((name) => name + fields[name]).join('')
    const signature = createHmac('sha1', authToken).update(signed).digest('base64')
    return { url, headers: { 'x-twilio-signature': signature }, body: form.toString() }
  }
  return {
    document: 'twilio',
    numbers: twilioNumbers,
    setup: twilioSetup,
    unauthorized: () => ({ status: 401, body: { code: 20003, message: 'Authenticate' } }),
    read: (_request, body) => {
      const form = Object.fromEntries(new URLSearchParams(body))
      const { From: from = '', To: to = '', Body: text = '', StatusCallback } = form
      return { from, to, text, statusUrl: StatusCallback ?? null, tag: null, fields: form }
    },
    taken: ({ id }) => ({ status: 201, body: { sid: id, status: 'queued', price: null } }),
    refused: (code) => ({
      status: 400,
      body: { code: Number(code), message: 'Refused', status: 400 },
    }),
    lookedUp: (number) => {
      const type = number === LANDLINE ? 'landline' : 'mobile'
      return { phone_number: number, line_type_intelligence: { type, carrier_name: 'T-Mobile' } }
    },
    list: twilioList,
    receipt: ({ id, to, from, statusUrl }, base, { status, code }) => {
      const word = { sent: 'sent', unconfirmed: 'sent', delivered: 'delivered', failed: 'failed' }
      return call(statusUrl ?? base, {
        ...{ MessageSid: id, MessageStatus: word[status], To: to, From: from },
        ...(code !== undefined && { ErrorCode: code }),
      })
    },
    inbound: ({ id, from, to, text, mediaUrls = [], handled }, base) =>
      call(base, {
        ...(handled !== undefined && { OptOutType: handled }),
        ...{ MessageSid: id, SmsStatus: 'received', From: from, To: to, Body: text },
        ...{ NumMedia: String(mediaUrls.length) },
        ...Object.fromEntries(mediaUrls.map((url, i) => [`MediaUrl${i}`, url])),
      }),
  }
}

/** One page, newest first, with Twilio's filters. */
function twilioList(taken: readonly Taken[], query: URLSearchParams) {
  const [source, target] = [query.get('From'), query.get('To')]
  const size = Number(query.get('PageSize') ?? 50)
  const found = taken.filter(
    ({ from, to }) => [from, null].includes(source) && [to, null].includes(target),
  )
  const page = found.toReversed().slice(0, size)
  return {
    messages: page.map(({ id, from, to, text, at }) => ({
      ...{ sid: id, from, to, body: text, direction: 'outbound-api' },
      ...{ status: 'delivered', date_created: at.toUTCString() },
    })),
    ...{ page: 0, page_size: size },
    next_page_uri: found.length > size ? `/2010-04-01/Messages.json?Page=1` : null,
  }
}
