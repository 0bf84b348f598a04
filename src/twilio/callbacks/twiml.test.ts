// What is read from TwiML, and what is refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTwiml, TwimlProblem } from './twiml.js'

test('messages, media, attributes, and entities are read', () => {
  const { messages, redirect, ignored } = readTwiml(`<?xml version="1.0"?>
    <Response>
      <Message to="+14155550101" from='+14155550102' statusCallback="https://a.test/?a=1&amp;b=2">
        <Body>5 &lt; 6 &#233;&#x1F600;</Body><Media>https://a.test/1.png</Media>
      </Message>
      <Sms>old</Sms><Dial/><Redirect method="POST">/next</Redirect><Message>never</Message>
    </Response>`)
  assert.deepEqual(messages, [
    {
      to: '+14155550101',
      from: '+14155550102',
      statusCallback: 'https://a.test/?a=1&b=2',
      body: '5 < 6 é😀',
      mediaUrls: ['https://a.test/1.png'],
    },
    { to: null, from: null, statusCallback: null, body: 'old', mediaUrls: [] },
  ])
  assert.deepEqual([redirect, ignored], [{ url: '/next', method: 'POST' }, ['Dial']])
})

test('an empty answer has no messages', () => {
  for (const text of ['', ' \n', '<Response/>', '<Response></Response>']) {
    assert.deepEqual(readTwiml(text), { messages: [], redirect: null, ignored: [] })
  }
})

test('anything else is refused', () => {
  const many = '<Message>x</Message>'.repeat(11)
  for (const text of [
    'OK',
    '{"ok":true}',
    '<html></html>',
    '<Response>',
    '<Response></Message>',
    '<Response/><Response/>',
    '<Response a=b/>',
    '<Response><Message>&unknown;</Message></Response>',
    '<Response><Message>&toString;</Message></Response>',
    '<Response>&</Response>',
    '<!DOCTYPE x [<!ENTITY a "b">]><Response/>',
    `<Response>${many}</Response>`,
    `<Response>${'<a>'.repeat(10)}</Response>`,
    '<Response><!-- </Response>',
    '<Response><Message to="x</Response>',
  ]) {
    assert.throws(() => readTwiml(text), TwimlProblem, text)
  }
})

test('no text breaks the reader', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '/',
    '&',
    ';',
    '"',
    '=',
    'Response',
    'Message',
    '<![CDATA[',
    ']]>',
    '<!--',
    '#x1',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      try {
        readTwiml(pieces.join(''))
      } catch (error) {
        assert.ok(error instanceof TwimlProblem)
      }
    }),
  )
})
