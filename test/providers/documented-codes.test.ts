// Every documented error code of every provider, as a response to a submit and in a callback: what happens to the
// customer's message, and who pays. The texts are those of the providers' documentation, so a wrong translation shows.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { ReceiptCallback } from '../../src/carriers/providers/provider.js'
import { PROVIDERS } from '../../src/carriers/providers/providers.js'
import { MESSAGE_ERRORS } from '../../src/messages/message-errors.js'
import { MESSAGES, type ProviderName } from './provider-messages.js'

/** In words: the code that the customer sees, and whether a failure after acceptance is charged. */
const FAILURES: Record<string, { errorCode: keyof typeof MESSAGE_ERRORS; isCharged: boolean }> = {
  'daily cap': { errorCode: 1320, isCharged: true },
  'opted out': { errorCode: 1330, isCharged: false },
  'campaign not active': { errorCode: 1340, isCharged: false },
  'cannot receive texts': { errorCode: 1350, isCharged: false },
  landline: { errorCode: 1360, isCharged: false },
  spam: { errorCode: 1370, isCharged: true },
  refused: { errorCode: 1375, isCharged: true },
  'phone unreachable': { errorCode: 1380, isCharged: true },
  'media not fetched': { errorCode: 1390, isCharged: false },
  'media too large': { errorCode: 1391, isCharged: false },
  'media type': { errorCode: 1392, isCharged: false },
  expired: { errorCode: 1400, isCharged: false },
  'no reason': { errorCode: 1499, isCharged: true },
}

/** These are not failures of the message. In a callback, it is too late: the message has failed. */
const OTHERS: Record<string, { kind: string; lateCode: keyof typeof MESSAGE_ERRORS }> = {
  'try again later': { kind: 'throttled', lateCode: 1375 },
  'sender refused': { kind: 'sender', lateCode: 1345 },
  'problem of the operator': { kind: 'fault', lateCode: 1375 },
}

const DOCUMENTED: Record<ProviderName, string> = {
  telnyx: `
    10002 cannot receive texts: Invalid phone number
    10007 no reason: Unexpected error
    10009 problem of the operator: Authentication failed
    10010 problem of the operator: Authorization failed
    10011 try again later: Too many requests
    10039 problem of the operator: Feature not permitted
    20100 problem of the operator: Insufficient funds
    40001 cannot receive texts: Not routable
    40002 spam: Blocked as spam - temporary
    40003 spam: Blocked as spam - permanent
    40004 refused: Rejected by destination
    40005 expired: Message expired during transmission
    40006 phone unreachable: Recipient server unavailable
    40008 refused: Undeliverable
    40009 refused: Invalid message body
    40010 campaign not active: Not 10DLC registered
    40011 try again later: Too many requests
    40012 cannot receive texts: Invalid messaging destination number
    40013 sender refused: Invalid messaging source number
    40014 expired: Message expired in queue
    40015 spam: Blocked as spam - internal
    40016 daily cap: T-Mobile 10DLC sending limit reached
    40017 spam: AT&T 10DLC spam message rejected
    40018 try again later: AT&T 10DLC sending limit reached
    40300 opted out: Blocked due to STOP message
    40302 refused: Message too large
    40305 sender refused: Invalid 'from' address
    40308 sender refused: Invalid 'from' address for MMS
    40310 cannot receive texts: Invalid 'to' address
    40312 sender refused: Messaging profile is disabled
    40313 sender refused: Missing messaging profile secret
    40314 sender refused: Messaging disabled on account
    40315 sender refused: Unhealthy 'from' address
    40317 media too large: Invalid MMS content
    40318 try again later: Message queue full
    40319 refused: Incompatible message type for the 'to' address
    40321 sender refused: No usable numbers on messaging profile
    40322 spam: Blocked due to content
    40329 sender refused: Toll-free number not yet verified`,
  bandwidth: `
    4302 sender refused: malformed-invalid-from-number
    4303 cannot receive texts: malformed-invalid-to-number
    4350 cannot receive texts: malformed-for-destination
    4360 expired: message-not-sent-expiration-date-passed
    4403 sender refused: rejected-forbidden-from-number
    4404 cannot receive texts: rejected-forbidden-to-number
    4405 sender refused: rejected-unallocated-from-number
    4406 cannot receive texts: rejected-unallocated-to-number
    4407 sender refused: rejected-account-not-defined-from-number
    4410 media not fetched: media-unavailable
    4411 media too large: rejected-message-size-limit-exceeded
    4412 media type: media-content-invalid
    4433 sender refused: rejected-forbidden-tollfree
    4451 problem of the operator: rejected-wrong-user-id
    4452 sender refused: rejected-wrong-application-id
    4470 spam: rejected-spam-detected
    4481 spam: rejected-from-number-in-blacklist
    4482 opted out: rejected-to-number-in-blacklist
    4493 problem of the operator: rejected-unauthorized
    4700 refused: invalid-service-type
    4701 phone unreachable: destination-service-unavailable
    4702 phone unreachable: destination-subscriber-unavailable
    4711 media too large: rejected-message-size-limit-exceeded
    4712 media type: media-content-invalid
    4720 cannot receive texts: invalid-destination-address
    4721 cannot receive texts: destination-tn-deactivated
    4730 refused: no-route-to-destination-carrier
    4740 sender refused: invalid-source-address-address
    4750 refused: destination-rejected-message
    4751 refused: destination-rejected-message-size-invalid
    4752 refused: destination-rejected-malformed
    4753 refused: destination-rejected
    4770 spam: destination-spam-detected
    4771 spam: rejected-shortened-url
    4772 spam: rejected-tn-blocked
    4773 campaign not active: inactive-campaign
    4774 campaign not active: provisioning-issue
    4775 opted out: destination-rejected-due-to-user-opt-out
    4780 daily cap: volume-violation-tmo
    4781 try again later: volume-violation-att
    4785 try again later: volumetric-violation
    4795 sender refused: tfn-not-verified
    5106 expired: impossible-to-route
    5201 expired: temporary-rout-error-retries-exceeded
    9999 no reason: unknown-error`,
  twilio: `
    11200 media not fetched: HTTP retrieval failure
    12300 media type: Invalid Content-Type
    20003 problem of the operator: Authenticate
    20005 problem of the operator: Account not active
    20429 try again later: Too many requests
    21211 cannot receive texts: Invalid 'To' phone number
    21212 sender refused: Invalid 'From' number
    21217 cannot receive texts: Phone number does not appear to be valid
    21265 cannot receive texts: 'To' number cannot be a short code
    21606 sender refused: 'From' is not a valid, message-capable number
    21610 opted out: Attempt to send to unsubscribed recipient
    21611 try again later: 'From' number has exceeded the maximum number of queued messages
    21614 landline: 'To' number is not a valid mobile number
    21617 refused: The concatenated message body exceeds the 1600 character limit
    21620 media not fetched: Invalid media URL
    21659 sender refused: 'From' is not a Twilio phone number
    21660 sender refused: Mismatch between the 'From' number and the account
    21661 sender refused: 'From' number is not SMS-capable
    21703 sender refused: The messaging service does not have a phone number available
    30001 expired: Queue overflow
    30002 problem of the operator: Account suspended
    30003 phone unreachable: Unreachable destination handset
    30004 refused: Message blocked
    30005 cannot receive texts: Unknown destination handset
    30006 landline: Landline or unreachable carrier
    30007 spam: Message filtered
    30008 no reason: Unknown error
    30011 media type: MMS not supported by the receiving phone number in this region
    30019 media too large: Content size exceeds carrier limit
    30022 try again later: US A2P 10DLC - rate limits exceeded
    30023 daily cap: US A2P 10DLC - daily message cap reached
    30027 daily cap: US A2P 10DLC - T-Mobile daily message limit reached
    30032 sender refused: Toll-free number has not been verified
    30033 campaign not active: US A2P 10DLC - campaign suspended
    30034 campaign not active: US A2P 10DLC - message from an unregistered number
    30035 campaign not active: US A2P 10DLC - message from a number that is still being configured
    30036 expired: Validity period expired
    60728 try again later: Hourly limit of the account
    63017 try again later: Rate limit exceeded
    63038 try again later: Account exceeded the daily messages limit`,
}

interface Documented {
  code: string
  outcome: string
  text: string
}

const codesOf = (name: ProviderName): Documented[] =>
  DOCUMENTED[name]
    .trim()
    .split('\n')
    .map((line) => {
      const [, code, outcome, text] = /^ *(\d+) ([^:]+): (.+)$/.exec(line)!
      return { code: code!, outcome: outcome!, text: text! }
    })

/** A refusal of a message, and the callback about a message that failed after it was accepted. */
const REFUSALS: Record<ProviderName, (one: Documented) => object> = {
  telnyx: ({ code, text }) => ({ errors: [{ code, title: text, detail: 'More.' }] }),
  bandwidth: ({ code, text }) => ({ type: 'message-refused', code, description: text }),
  twilio: ({ code, text }) => ({ code: Number(code), message: text, status: 400 }),
}
const CALLBACKS: Record<ProviderName, (one: Documented) => string> = {
  telnyx: ({ code, text }) => {
    const to = [{ phone_number: '+14155550107', status: 'delivery_failed' }]
    const payload = { id: 'x', to, errors: [{ code, title: text }] }
    return JSON.stringify({ data: { event_type: 'message.finalized', id: 'e', payload } })
  },
  bandwidth: ({ code, text }) => {
    const message = { id: 'x', direction: 'out' }
    const event = { type: 'message-failed', errorCode: Number(code), description: text, message }
    return JSON.stringify([event])
  },
  twilio: ({ code, text }) =>
    new URLSearchParams({
      ...{ MessageSid: 'x', MessageStatus: 'undelivered', To: '+14155550107' },
      ...{ ErrorCode: code, ErrorMessage: text },
    }).toString(),
}

function refuse(name: ProviderName, one: Documented) {
  const body = Buffer.from(JSON.stringify(REFUSALS[name](one)))
  return MESSAGES[name].readSubmit({ status: 400, headers: {}, body }, new Date())
}

function report(name: ProviderName, one: Documented): ReceiptCallback {
  const request = { method: 'POST', path: '/', query: {}, headers: {} }
  const body = Buffer.from(CALLBACKS[name](one))
  return MESSAGES[name].readCallbacks({ ...request, body })![0] as ReceiptCallback
}

for (const name of Object.keys(DOCUMENTED) as ProviderName[]) {
  const documented = codesOf(name)
  const { codes } = PROVIDERS.find((one) => one.name === name)!

  test(`${name}: each documented code in a response fails the message, postpones it, or concerns someone else`, () => {
    for (const one of documented) {
      const carrierCode = `${one.code} ${one.text}`
      const result = refuse(name, one)
      const failure = FAILURES[one.outcome]
      if (failure) {
        const { errorCode } = failure
        assert.deepEqual(result, { kind: 'failed', errorCode, carrierCode, isUnmapped: false })
        continue
      }
      const { kind } = OTHERS[one.outcome]!
      assert.equal(result.kind, kind, carrierCode)
      if (result.kind === 'sender') assert.equal(result.carrierCode, carrierCode)
      if (result.kind === 'fault') assert.equal(result.detail, carrierCode)
    }
  })

  test(`${name}: each documented code in a callback fails the message, and is charged only if the carrier has a part in it`, () => {
    for (const one of documented) {
      const { status, errorCode, carrierCode, isUnmapped } = report(name, one)
      const failure = FAILURES[one.outcome]
      const expected = failure?.errorCode ?? OTHERS[one.outcome]!.lateCode
      const about = `${one.code} ${one.text}`
      assert.deepEqual([status, errorCode, isUnmapped], ['FAILED', expected, false], about)
      assert.equal(carrierCode, about)
      if (failure) assert.equal(MESSAGE_ERRORS[expected].isCharged, failure.isCharged, about)
    }
  })

  test(`${name}: any other code is unknown, is counted, and fails the message with 1499`, () => {
    const known = new Set(documented.map(({ code }) => code))
    for (let number = 0; number < 100_000; number += 1) {
      if (!known.has(String(number))) assert.equal(codes.meaningOf(String(number)), null)
    }
    const one = {
      code: name === 'bandwidth' ? '4999' : '49999',
      outcome: '',
      text: 'Something new',
    }
    const { status, errorCode, isUnmapped } = report(name, one)
    assert.deepEqual([status, errorCode, isUnmapped], ['FAILED', 1499, true])
    assert.deepEqual(refuse(name, one), {
      ...{ kind: 'failed', errorCode: 1499, carrierCode: `${one.code} ${one.text}` },
      isUnmapped: true,
    })
  })

  test(`${name}: the tables in docs/migrate and docs/carriers.md have every code`, () => {
    const rows = readFileSync(`docs/migrate/${name}.md`, 'utf8').matchAll(
      /^\| ([\d, to]+) \| \[(1\d{3})\]/gm,
    )
    const tables = [...rows].flatMap(([, list, ours]) =>
      numbersIn(list!).map((code) => `${code} ${ours}`),
    )
    const failures = documented.flatMap(({ code, outcome }) => {
      const failure = FAILURES[outcome]
      return failure ? `${code} ${failure.errorCode}` : []
    })
    assert.deepEqual(tables.sort(), failures.sort())

    const { title } = PROVIDERS.find((one) => one.name === name)!
    const line = /^\| A refused sender \|.+/m.exec(readFileSync('docs/carriers.md', 'utf8'))![0]
    const list = new RegExp(`${title} ([\\d, –]+);`).exec(line)![1]!
    const senders = documented.filter(({ outcome }) => outcome === 'sender refused')
    assert.deepEqual(
      numbersIn(list),
      senders.map(({ code }) => code),
    )
  })
}

/** Codes and ranges, such as `4700, 4750 to 4753` or `40312–40315`. */
function numbersIn(list: string): string[] {
  return list.split(', ').flatMap((part) => {
    const [from, to = from] = part.split(/ to |–/).map(Number)
    return Array.from({ length: to! - from! + 1 }, (_, i) => String(from! + i))
  })
}
