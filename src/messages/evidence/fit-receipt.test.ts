// Which message a receipt with an unknown ID is about: by reference, else by time and text, never by a guess.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptClue } from '../carrier-port.js'
import { referenceOf } from '../message-reference.js'
import { encodeEntry } from '../timeline.js'
import { chooseMessage, mayBeAbout, type UnprovenMessage } from './fit-receipt.js'

const SENT_AT = new Date('2026-11-17T12:00:00Z')
const after = (minutes: number) => new Date(SENT_AT.getTime() + minutes * 60_000)

function message(id: string, body: string, more: Partial<UnprovenMessage> = {}): UnprovenMessage {
  return {
    ...{ id, body, numSegments: 1, unknownLink: 'acme', createdAt: SENT_AT },
    timeline: [encodeEntry(after(1), 'unknown', 'no answer')],
    ...more,
  }
}

function chosen(clue: Partial<ReceiptClue>, messages: readonly UnprovenMessage[], link = 'acme') {
  const none = { submittedAt: null, doneAt: null, bodyStart: null, reference: null }
  const whole = { number: '+14152004000', peer: '+14155550123', ...none, ...clue }
  const found = chooseMessage({ link, clue: whole, receivedAt: after(2) }, messages)
  return found.message?.id ?? found.by
}

test('a text tells messages apart, whatever case and punctuation the carrier quotes', () => {
  const messages = [message('a', 'Your code is 1234'), message('b', 'Your code is 12345')]
  assert.equal(chosen({ bodyStart: 'Your code is 1234' }, messages), 'a')
  assert.equal(chosen({ bodyStart: 'YOUR CODE IS 12345 ' }, messages), 'b')
  assert.equal(chosen({ bodyStart: 'Your code is 99' }, messages), 'none')
  assert.equal(chosen({}, messages), 'many', 'without a text')
  assert.equal(chosen({}, messages.slice(0, 1)), 'a')
})

test('carriers quote the first 20 characters of a longer text, or those of a part', () => {
  const long = `${'first part '.repeat(15)}${'second one '.repeat(15)}`
  const messages = [
    message('short', 'Twenty characters and more'),
    message('long', long, { numSegments: 3 }),
  ]
  assert.equal(chosen({ bodyStart: 'Twenty characters an' }, messages), 'short')
  assert.equal(chosen({ bodyStart: 'second one second on' }, messages), 'long')
  assert.equal(chosen({ bodyStart: 'Twenty' }, messages), 'none', 'cut elsewhere: no proof')
})

test('the last part of a long text may be too short to tell messages apart, but is not another text', () => {
  const id = 'msg_01km3v9w8m0000pqv3t5x7z9bd'
  const long = message(id, `${'and so on '.repeat(30)}and so on a`, { numSegments: 3 })
  const reference = referenceOf(id)
  assert.equal(chosen({ bodyStart: 'on a', reference }, [long]), id)
  assert.equal(chosen({ bodyStart: 'on a' }, [long]), id)
  assert.equal(chosen({ bodyStart: 'on a' }, [long, message('b', 'On a')]), 'b')
  assert.equal(chosen({ bodyStart: 'so o', reference }, [long]), 'none', 'not its end')
  const short = message(id, 'and so on a')
  assert.equal(chosen({ bodyStart: 'on a', reference }, [short]), 'none', 'it has one part')
})

test('a text outside the receipt alphabet is unclear and fits only alone', () => {
  const [greek, other] = [message('g', 'Ваш код готов'), message('o', 'Plain text')]
  assert.equal(chosen({ bodyStart: '??? ??? ?????' }, [greek]), 'g')
  assert.equal(chosen({ bodyStart: 'Plain text' }, [greek, other]), 'o')
  assert.equal(chosen({ bodyStart: 'Something' }, [greek, message('h', 'Ещё один')]), 'many')
})

test('a receipt of another link, or from before the message, is about another message', () => {
  const one = message('a', 'Hello')
  assert.equal(chosen({}, [one], 'backup'), 'none')
  assert.equal(chosen({}, [message('a', 'Hello', { unknownLink: null })], 'backup'), 'a')
  assert.equal(chosen({}, [message('a', 'Hello', { createdAt: after(20) })]), 'none')
})

test('the submit time is between the send and the end of the wait, in any time zone', () => {
  const one = [message('a', 'Hello')]
  for (const minutes of [-4, 0, 1, 5]) {
    assert.equal(chosen({ submittedAt: after(minutes) }, one), 'a', `${minutes} minutes`)
  }
  assert.equal(chosen({ submittedAt: after(-30) }, one), 'none')
  assert.equal(chosen({ submittedAt: after(30) }, one), 'none')
  const elsewhere = { submittedAt: after(-300), doneAt: after(-299) }
  assert.equal(chosen(elsewhere, one), 'a', 'five hours off, one minute long')
  assert.equal(chosen({ ...elsewhere, doneAt: after(-240) }, one), 'none', 'one hour long')
  assert.equal(chosen({ ...elsewhere, doneAt: after(-301) }, one), 'none', 'done before the submit')
})

test('a reference decides, unless the text is clearly that of another message', () => {
  const messages = [message('a', 'Hello'), message('b', 'Hello')]
  assert.equal(chosen({ reference: referenceOf('b') }, messages), 'b')
  assert.equal(chosen({ reference: referenceOf('b'), bodyStart: 'Garbled' }, messages), 'none')
  assert.equal(chosen({ reference: referenceOf('c'), bodyStart: 'Hello' }, messages), 'none')
})

test('a receipt that may be about a message keeps it from being sent again', () => {
  const none = { submittedAt: null, doneAt: null, reference: null }
  const clue = { number: '+14152004000', peer: '+14155550123', ...none, bodyStart: 'Hello' }
  const receipt = { link: 'acme', clue, receivedAt: after(2) }
  assert.equal(mayBeAbout(receipt, message('a', 'Hello')), true)
  assert.equal(mayBeAbout(receipt, message('a', 'Goodbye')), false)
})
