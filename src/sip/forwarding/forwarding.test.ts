// Which number formats are understood, which targets are allowed, and where a call goes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUri } from '../message/uri.js'
import { decideCall, NEVER_FORWARDED } from './decide-call.js'
import {
  DEFAULT_POLICY,
  FAULT_TEXTS,
  type ForwardingFault,
  forwardingFault,
} from './forwarding-policy.js'
import {
  ANY_FORM,
  type NumberForms,
  readNumber,
  readUriNumber,
  writeNumber,
} from './number-forms.js'

const NUMBER = '+14155550123'

function numberIn(uri: string, forms: NumberForms = ANY_FORM): string {
  const read = readUriNumber(readUri(uri)!, forms)
  return read.kind === 'number' ? read.number : read.kind
}

test('the called number is understood in every format that trunks use', () => {
  for (const uri of [
    'sip:+14155550123@h.test',
    'sip:14155550123@h.test',
    'sip:4155550123@h.test;user=phone',
    'sips:%2B14155550123@h.test',
    'sip:+14155550123;npdi;rn=+14155559999@h.test',
    'sip:(415)%20555-0123@h.test',
    'tel:+1-415-555-0123',
    'tel:+1.415.555.0123;ext=4',
    'tel:415-555-0123;phone-context=+1',
    'tel:555-0123;phone-context=+1-415',
    'sip:4155550123;phone-context=ours.test@h.test',
  ])
    assert.equal(numberIn(uri), NUMBER, uri)
})

test('foreign numbers and invalid numbers are distinguished', () => {
  for (const uri of ['sip:+442071838750@h.test', 'tel:+44-20-7183-8750'])
    assert.equal(numberIn(uri), 'foreign', uri)
  for (const uri of ['sip:12@h.test', 'sip:alice@h.test', 'sip:h.test', 'sip:+1415555012@h.test'])
    assert.equal(numberIn(uri), 'none', uri)
  for (const user of [
    '24155550123',
    '*69',
    '911',
    '+',
    '',
    '--',
    '1'.repeat(65),
    `+1${'4'.repeat(11)}`,
  ])
    assert.equal(readNumber(user, ANY_FORM).kind, 'none', user)
})

test('a format or prefix other than the trunk’s is not guessed', () => {
  const forms: NumberForms = { called: ['national'], prefix: '0099#', written: 'country' }
  assert.equal(numberIn('sip:0099%234155550123@h.test', forms), NUMBER)
  assert.equal(numberIn('sip:4155550123@h.test', forms), NUMBER)
  assert.equal(numberIn('sip:+14155550123@h.test', forms), 'none')
  assert.equal(numberIn('sip:14155550123@h.test', forms), 'none')
})

test('numbers are written in the trunk’s format', () => {
  assert.equal(writeNumber(NUMBER, 'e164'), NUMBER)
  assert.equal(writeNumber(NUMBER, 'country'), '14155550123')
  assert.equal(writeNumber(NUMBER, 'national'), '4155550123')
})

function finder(entries: Record<string, string | null>) {
  return (number: string) => entries[number]
}

test('expensive, looping, and impossible targets are refused with the reason', () => {
  const cases: [string, ForwardingFault | null][] = [
    ['+14155550188', null],
    ['+17875550123', null],
    ['+442071838750', 'outside'],
    ['+19005551234', 'premium'],
    ['+19765551234', 'premium'],
    ['+14159761234', 'premium'],
    ['+18765551234', 'caribbean'],
    ['+18095551234', 'caribbean'],
    ['+19115551234', 'impossible'],
    ['+14154111234', 'impossible'],
    [NUMBER, 'itself'],
  ]
  for (const [target, fault] of cases) {
    assert.equal(forwardingFault(NUMBER, target, finder({}), DEFAULT_POLICY), fault, target)
  }
  const allowsCaribbean = { allowsCaribbean: true }
  assert.equal(forwardingFault(NUMBER, '+18765551234', finder({}), allowsCaribbean), null)
  for (const text of Object.values(FAULT_TEXTS)) assert.match(text, /^must /)
})

/** All area codes from 200 to 999 to which calls are refused for this reason. */
function refusedCodes(fault: ForwardingFault): string {
  const codes = Array.from({ length: 800 }, (_, i) => String(200 + i))
  const faultOf = (code: string) =>
    forwardingFault(NUMBER, `+1${code}5550188`, finder({}), DEFAULT_POLICY)
  return codes.filter((code) => faultOf(code) === fault).join(' ')
}

test('exactly the area codes that cost extra are refused', () => {
  assert.equal(refusedCodes('premium'), '900 976')
  assert.equal(
    refusedCodes('special'),
    '500 521 522 523 524 525 526 527 528 529 532 533 535 538 542 543 544 545 546 547 549 550 552 553 554 556 566 569 577 578 588 589 700 710',
  )
  assert.equal(
    refusedCodes('caribbean'),
    '242 246 264 268 284 345 441 473 649 658 664 721 758 767 784 809 829 849 868 869 876',
  )
  const faultOf = (target: string) => forwardingFault(NUMBER, target, finder({}), DEFAULT_POLICY)
  assert.equal(faultOf('+14155551212'), 'special', 'directory assistance')
  assert.equal(faultOf('+14155551213'), null)
})

test('loops and long chains through our own numbers are detected, and five forwardings are allowed', () => {
  const of = (i: number) => `+1415555020${i}`
  const chain = (links: number, end: string | null) =>
    finder(
      Object.fromEntries(
        Array.from({ length: links }, (_, i) => [of(i), i + 1 < links ? of(i + 1) : end]),
      ),
    )
  const judge = (find: ReturnType<typeof finder>) =>
    forwardingFault(NUMBER, of(0), find, DEFAULT_POLICY)
  assert.equal(judge(chain(1, NUMBER)), 'loop')
  assert.equal(judge(chain(5, NUMBER)), 'loop')
  assert.equal(judge(chain(4, '+12125550100')), null)
  assert.equal(judge(chain(5, '+12125550100')), 'chain')
  assert.equal(judge(chain(5, null)), null)
  assert.equal(judge(chain(2, of(0))), 'chain', 'a loop among other numbers')
})

test('a call goes to its target or is refused with the matching status', () => {
  const find = finder({
    [NUMBER]: '+14155550188',
    '+14155550124': null,
    '+14155550125': '+14155550125',
    '+14155550126': '+19005551234',
  })
  const decide = (text: string, past = NEVER_FORWARDED) => {
    const decision = decideCall(readNumber(text, ANY_FORM), past, find, DEFAULT_POLICY)
    return decision.kind === 'redirect' ? decision.target : decision.status
  }
  assert.equal(decide('4155550123'), '+14155550188')
  assert.equal(decide('4155550199'), 404)
  assert.equal(decide('+442071838750'), 404)
  assert.equal(decide('4155550124'), 480)
  assert.equal(decide('4155550126'), 480)
  assert.equal(decide('4155550125'), 482)
  assert.equal(decide('12'), 484)
  assert.equal(decide(NUMBER, { count: 4, numbers: new Set(['+12125550100']) }), '+14155550188')
  assert.equal(decide(NUMBER, { count: 5, numbers: new Set() }), 482)
  assert.equal(decide(NUMBER, { count: 1, numbers: new Set(['+14155550188']) }), 482)
})
