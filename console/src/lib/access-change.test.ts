// A sentence for each way in which a person's access can change while a page is open.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeAccessChange } from './access-change'

type Access = Parameters<typeof describeAccessChange>[0]
type Role = NonNullable<Access['user']>['accounts'][number]['role']

function access(role: Role | null, operator: 'operator' | 'support' | null = null): Access {
  const account = { accountId: 'acc_1', name: 'Acme', role: role ?? 'agent' }
  const other = { accountId: 'acc_2', name: 'Other', role: 'agent' as const }
  const accounts = role === null ? [other] : [account, other]
  return {
    account: role === null ? null : { accountId: 'acc_1', name: 'Acme', scopes: ['read'] },
    operator: operator && { name: 'Ana', role: operator, operations: null },
    user: {
      userId: 'usr_1',
      name: 'Ana',
      email: 'a@example.com',
      accounts,
      needsSecondFactor: false,
    },
  }
}

test('a lost or changed role gets a sentence, and the same access gets none', () => {
  assert.equal(describeAccessChange(access('owner'), access('owner')), null)
  assert.equal(
    describeAccessChange(access('owner'), access(null)),
    'You no longer have access to Acme.',
  )
  assert.equal(
    describeAccessChange(access('owner'), access('read-only')),
    'Your role in Acme is now Read-only.',
  )
  assert.equal(
    describeAccessChange(access(null, 'operator'), access(null, 'support')),
    'Your role for this installation is now Support.',
  )
  assert.equal(
    describeAccessChange(access(null, 'operator'), access(null)),
    'You no longer have a role for this installation.',
  )
})

test('a switch in another tab gets a sentence', () => {
  const switched = {
    ...access('agent'),
    account: { accountId: 'acc_2', name: 'Other', scopes: ['read' as const] },
  }
  assert.equal(
    describeAccessChange(access('agent'), switched),
    'You switched to Other in another tab.',
  )
})
