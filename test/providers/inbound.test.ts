// An inbound message of every provider: who wrote what to which number, its files, what it reports about the phone, and
// the keyword that the provider has already answered. A new provider gets its own row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InboundCallback } from '../../src/carriers/providers/provider.js'
import { callbackTo } from './link-stage.js'
import { messagesOf, type ProviderName } from './provider-messages.js'

const PHONE = '+14155550107'
const NUMBER = '+14152000001'
const OTHER = '+14152000002'
const FILES = ['https://files.test/1', 'https://files.test/2']

interface Row {
  /** The body of a callback: a message from the phone to our number, with these fields in place of the usual ones. */
  body: (fields: Record<string, unknown>) => string
  withText: (text: string) => Record<string, unknown>
  withFiles: Record<string, unknown>
  /** Each of these cannot be a message. */
  unreadable: readonly Record<string, unknown>[]
  /** By our keyword: the words that the provider acts on and answers. */
  answers: Partial<Record<'STOP' | 'START' | 'HELP', readonly string[]>>
}

const ROWS: Record<ProviderName, Row> = {
  telnyx: {
    body: (fields) => {
      const [from, to] = [{ phone_number: PHONE }, [{ phone_number: NUMBER }]]
      const payload = { id: 'm-1', from, to, ...fields }
      return JSON.stringify({ data: { event_type: 'message.received', payload } })
    },
    withText: (text) => ({ text }),
    withFiles: { media: [{ url: FILES[0] }, { content_type: 'x' }, { url: FILES[1] }] },
    unreadable: [{ from: {} }, { to: [] }, { to: [{}] }, { from: { phone_number: true } }],
    answers: { STOP: ['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT'] },
  },
  bandwidth: {
    body: (fields) => {
      const message = { id: 'm-1', from: PHONE, owner: NUMBER, direction: 'in', ...fields }
      return JSON.stringify([{ type: 'message-received', to: OTHER, message }])
    },
    withText: (text) => ({ text }),
    withFiles: { media: [FILES[0], 7, FILES[1]] },
    unreadable: [{ from: null }, { from: '' }],
    answers: {},
  },
  twilio: {
    body: (fields) =>
      new URLSearchParams({
        ...{ MessageSid: 'm-1', SmsStatus: 'received', From: PHONE, To: NUMBER },
        ...(fields as Record<string, string>),
      }).toString(),
    withText: (text) => ({ Body: text }),
    withFiles: { NumMedia: '3', MediaUrl0: FILES[0]!, MediaUrl2: FILES[1]! },
    unreadable: [{ From: '' }, { To: '' }],
    answers: {
      STOP: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
      START: ['START', 'UNSTOP'],
      HELP: ['HELP', 'INFO'],
    },
  },
}

/** Every word that some provider answers, and some that none does. */
const WORDS = new Set([
  ...Object.values(ROWS).flatMap(({ answers }) => Object.values(answers).flat()),
  ...['YES', 'NO', 'STOP IT', 'ARRET', ''],
])

const read = (name: ProviderName, fields: Record<string, unknown> = {}, link = {}) =>
  messagesOf(name, link).readCallbacks(callbackTo('/', ROWS[name].body(fields)))

const only = (...args: Parameters<typeof read>): InboundCallback => {
  const [one, ...more] = read(...args)!
  assert.ok(one?.kind === 'inbound')
  assert.deepEqual(more, [])
  return one
}

const usual = {
  ...{ kind: 'inbound', carrierId: 'm-1', from: PHONE, to: NUMBER, body: '', mediaUrls: [] },
  ...{ facts: {}, handled: null },
}

for (const [name, row] of Object.entries(ROWS) as [ProviderName, Row][]) {
  test(`${name}: an inbound message has its text and files, and is refused without its numbers`, () => {
    assert.deepEqual(only(name), usual)
    assert.deepEqual(only(name, row.withText(' Hi \n')), { ...usual, body: ' Hi \n' })
    assert.deepEqual(only(name, row.withFiles), { ...usual, mediaUrls: FILES })
    for (const fields of row.unreadable) {
      assert.equal(read(name, fields), null, JSON.stringify(fields))
    }
  })

  test(`${name}: a keyword is handled there only if the provider answers it`, () => {
    for (const word of WORDS) {
      const keyword = Object.entries(row.answers).find(([, words]) => words.includes(word))
      for (const text of [word, ` ${word.toLowerCase()}\n`]) {
        assert.equal(only(name, row.withText(text)).handled, keyword?.[0] ?? null, text)
        const { handled } = only(name, row.withText(text), { answersKeywords: false })
        assert.equal(handled, null)
      }
    }
  })
}

test('telnyx: the callback names the keyword that it has handled, also if the text does not', () => {
  const words: Record<string, string | null> = {
    ...{ OPT_OUT: 'STOP', opt_out: 'STOP', STOP: 'STOP', OPT_IN: 'START', START: 'START' },
    ...{ HELP: 'HELP', INFO: 'HELP', other: null },
  }
  for (const [autoresponse_type, keyword] of Object.entries(words)) {
    for (const answersKeywords of [true, false]) {
      const { handled } = only('telnyx', { text: 'Hi', autoresponse_type }, { answersKeywords })
      assert.equal(handled, keyword, autoresponse_type)
    }
  }
  const { handled } = only('telnyx', { text: 'STOP', autoresponse_type: 'HELP' })
  assert.equal(handled, 'HELP')
})

test('telnyx: a group message is one for each of our numbers, and reports about the phone', () => {
  const to = [{ phone_number: NUMBER }, {}, { phone_number: OTHER }]
  const from = { phone_number: PHONE, carrier: 'Verizon', line_type: 'Wireless' }
  const facts = { network: 'vzw' }
  assert.deepEqual(read('telnyx', { from, to }), [
    { ...usual, facts },
    { ...usual, facts, carrierId: `m-1 ${OTHER}`, to: OTHER },
  ])
  const landline = { phone_number: PHONE, line_type: 'Wireline' }
  assert.deepEqual(only('telnyx', { from: landline }).facts, { isLandline: true })
})

test('bandwidth: our own message at the same URL is ignored, and the owner is the number', () => {
  assert.deepEqual(read('bandwidth', { direction: 'out' }), [])
  assert.equal(only('bandwidth', { direction: undefined }).to, NUMBER)
  assert.equal(only('bandwidth', { owner: undefined }).to, OTHER)
})

test('twilio: a keyword is named by its type, and a message has at most ten files', () => {
  for (const OptOutType of ['STOP', 'START', 'HELP']) {
    for (const answersKeywords of [true, false]) {
      const { handled } = only('twilio', { Body: 'Hi', OptOutType }, { answersKeywords })
      assert.equal(handled, OptOutType)
    }
  }
  assert.equal(only('twilio', { Body: 'stop', OptOutType: 'OTHER' }).handled, 'STOP')
  assert.equal(only('twilio', { Body: 'Hi', OptOutType: 'OTHER' }).handled, null)
  const files = Array.from({ length: 12 }, (_, i) => [`MediaUrl${i}`, `https://files.test/${i}`])
  const all = Object.fromEntries(files)
  for (const [NumMedia, count] of [
    ['12', 10],
    ['10', 10],
    ['1', 1],
    ['0', 0],
    ['many', 0],
  ] as const) {
    assert.equal(only('twilio', { ...all, NumMedia }).mediaUrls.length, count, NumMedia)
  }
  const untyped = 'MessageSid=m-1&From=%2B1&To=%2B2'
  const [one] = messagesOf('twilio').readCallbacks(callbackTo('/', untyped))!
  assert.equal(one?.kind, 'inbound', 'without a status')
})
