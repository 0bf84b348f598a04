// Activity in words: people by name, tokens by ID, and look-ups with what was seen.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity } from '../../generated/types.gen'
import { describeActivity, describeActor } from './describe-activity'
import { formatPhone } from './format'

function entry(change: Partial<Activity>): Activity {
  const base = { id: 'aud_1', at: '2026-11-18T10:00:00.000Z', by: 'customer', actor: 'Ana Silva' }
  const none = {
    subject: null,
    person: null,
    role: null,
    reason: null,
    messages: null,
    withText: null,
  }
  return { ...base, ...none, act: 'user.sign_in', ...change } as Activity
}

test('people are named, and what they did to themselves has no ID', () => {
  assert.equal(describeActivity(entry({ subject: 'usr_1' })), 'Signed in')
  assert.equal(
    describeActivity(entry({ act: 'user.join', subject: 'usr_1' })),
    'Joined the account',
  )
  const ben = { subject: 'usr_2', person: 'ben@example.com', role: 'agent' }
  assert.equal(
    describeActivity(entry({ act: 'user.invite', ...ben })),
    'Invited ben@example.com as agent',
  )
  assert.equal(
    describeActivity(entry({ act: 'user.role', ...ben })),
    'Changed the role of ben@example.com to agent',
  )
  assert.equal(describeActivity(entry({ act: 'user.remove', ...ben })), 'Removed ben@example.com')
  // Roles that changed before the audit log had emails.
  assert.equal(
    describeActivity(entry({ act: 'user.role', subject: 'usr_2', role: 'agent' })),
    'Changed the role of usr_2 to agent',
  )
  assert.equal(describeActor(entry({})), 'Ana Silva')
  assert.equal(describeActor(entry({ actor: 'tok_1' })), 'Token tok_1')
  assert.equal(describeActor(entry({ by: 'operator', actor: 'Ben' })), 'Operator Ben')
})

test('look-ups say what was seen, and other acts have their name', () => {
  const seen = { act: 'message.lookup', subject: '+14155550110', messages: 1 } as const
  assert.equal(
    describeActivity(entry({ ...seen, withText: false })),
    `Looked up 1 message without texts: ${formatPhone('+14155550110')}`,
  )
  assert.equal(
    describeActivity(entry({ act: 'token.create', subject: 'tok_2' })),
    'Token: create (tok_2)',
  )
})
