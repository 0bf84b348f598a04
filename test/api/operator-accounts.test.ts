// /operator/v1/account/…: opening, listing, changing, suspending, crediting, and correcting accounts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/kit/ids.js'
import { OPERATOR_TOKEN, operatedService } from './operator-service.js'

test('an operator opens an account with a balance, and the audit log records it', async (t) => {
  const service = await operatedService(t)
  const input = { name: ' Acme ', credit: 12.34, messageRetentionDays: 90 }
  const { status, body } = await service.operate('POST', '/account/create', input)
  assert.equal(status, 200)
  const { id, createdAt, ...rest } = body.account
  assert.match(id, /^acc_/)
  assert.deepEqual(rest, {
    name: 'Acme',
    status: 'ACTIVE',
    balance: 12.34,
    messageRetentionDays: 90,
    mediaRetentionDays: null,
    recordRetentionDays: 396,
  })
  const got = await service.operate('GET', `/account/${id}`)
  assert.deepEqual(got.body, { account: body.account })
  assert.deepEqual(await service.audit(), [
    {
      act: 'account.create',
      accountId: id,
      subject: id,
      before: null,
      after: {
        name: 'Acme',
        credit: 12.34,
        retention: { messageDays: 90, mediaDays: null, recordDays: 396 },
      },
    },
  ])
})

test('invalid fields of a new account are refused by name, and nothing is stored', async (t) => {
  const service = await operatedService(t)
  const amount = 'must be more than $0 and at most $1,000,000, with at most six decimals'
  const cases: [unknown, string][] = [
    [{}, 'name is required'],
    [{ name: ' ' }, 'name is required'],
    [{ name: 'A', credit: -5 }, `credit ${amount}`],
    [{ name: 'A', credit: 0 }, `credit ${amount}`],
    [{ name: 'A', credit: '5' }, 'credit must be a number'],
    [
      { name: 'A', mediaRetentionDays: 0 },
      'mediaRetentionDays must be a whole number of days, 1 or more, or null',
    ],
    ...[29, 3_651, 45.5].map((days): [unknown, string] => [
      { name: 'A', recordRetentionDays: days },
      'recordRetentionDays must be a whole number of days from 30 to 3650, or null',
    ]),
  ]
  for (const [input, error] of cases) {
    const reply = await service.operate('POST', '/account/create', input)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error, error)
    assert.equal(reply.body.success, false)
  }
  assert.deepEqual(await service.audit(), [])
})

test('an Idempotency-Key opens one account, however often it is sent', async (t) => {
  const service = await operatedService(t)
  const options = { token: OPERATOR_TOKEN, headers: { 'idempotency-key': 'k' } }
  const url = '/operator/v1/account/create'
  const first = await service.call('POST', url, { name: 'A', credit: 5 }, options)
  const again = await service.call('POST', url, { name: 'A', credit: 5 }, options)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(again.body, first.body)
  assert.equal((await service.audit()).length, 1)
})

test('accounts are listed newest first, in pages, with their balances', async (t) => {
  const service = await operatedService(t)
  for (const name of ['A', 'B']) await service.operate('POST', '/account/create', { name })
  const { body } = await service.operate('GET', '/account/list?limit=2')
  assert.deepEqual(
    body.accounts.map((account: { name: string }) => account.name),
    ['B', 'A'],
  )
  assert.equal(body.hasMore, true)
  const rest = await service.operate('GET', `/account/list?after=${body.accounts[1].id}`)
  assert.deepEqual(
    rest.body.accounts.map((account: { id: string; balance: number }) => [
      account.id,
      account.balance,
    ]),
    [[service.accountId, 100]],
  )
  const none = await service.operate('GET', '/account/list?status=SUSPENDED')
  assert.deepEqual(none.body, { accounts: [], hasMore: false })
})

test('an operator changes an account’s name and retention periods, and nothing else changes', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}`
  const { body } = await service.operate('PATCH', path, { mediaRetentionDays: 7 })
  assert.equal(body.account.name, 'Test')
  assert.equal(body.account.mediaRetentionDays, 7)
  const again = await service.operate('PATCH', path, { name: 'New', messageRetentionDays: 30 })
  assert.equal(again.body.account.mediaRetentionDays, 7)
  assert.equal(again.body.account.messageRetentionDays, 30)
  const kept = await service.operate('PATCH', path, { mediaRetentionDays: null })
  assert.equal(kept.body.account.mediaRetentionDays, null)
  assert.deepEqual((await service.audit())[1], {
    act: 'account.change',
    accountId: service.accountId,
    subject: service.accountId,
    before: { name: 'Test', retention: { messageDays: null, mediaDays: 7, recordDays: 396 } },
    after: { name: 'New', retention: { messageDays: 30, mediaDays: 7, recordDays: 396 } },
  })
})

test('a suspended account has no access until it is resumed, and neither can be done twice', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}`
  const stopped = await service.operate('POST', `${path}/suspend`, { reason: 'Unpaid' })
  assert.equal(stopped.body.account.status, 'SUSPENDED')
  const refused = await service.get('/v1/account')
  assert.equal(refused.status, 403)
  assert.equal(refused.body.code, 'account_suspended')

  const twice = await service.operate('POST', `${path}/suspend`, { reason: 'Unpaid' })
  assert.equal(twice.status, 409)
  assert.equal(
    twice.body.error,
    'The account is SUSPENDED. Only an ACTIVE account can be suspended.',
  )
  const back = await service.operate('POST', `${path}/resume`, { reason: 'Paid' })
  assert.equal(back.body.account.status, 'ACTIVE')
  assert.equal((await service.operate('POST', `${path}/resume`, { reason: 'Paid' })).status, 409)
  assert.deepEqual(
    (await service.audit()).map(({ act, before, after }) => [act, before, after]),
    [
      ['account.resume', { status: 'SUSPENDED' }, { status: 'ACTIVE', reason: 'Paid' }],
      ['account.suspend', { status: 'ACTIVE' }, { status: 'SUSPENDED', reason: 'Unpaid' }],
    ],
  )
  const silent = await service.operate('POST', `${path}/suspend`, {})
  assert.equal(silent.body.error, 'reason is required')
})

test('an operator credits an account, once per reference', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}/credit`
  const input = { amount: 25.5, note: 'Payment received', reference: 'inv 1' }
  const { body } = await service.operate('POST', path, input)
  assert.equal(body.account.balance, 125.5)
  const twice = await service.operate('POST', path, input)
  assert.equal(twice.status, 409)
  assert.equal(twice.body.code, 'reference_used')
  assert.equal(await service.balance(), 125.5)
  const [act] = await service.audit()
  const { entryId, ...after } = act!.after as { entryId: string }
  assert.match(entryId, /^trf_/)
  assert.deepEqual(
    [act!.act, act!.before, after],
    [
      'account.credit',
      { balance: 100 },
      { balance: 125.5, amount: 25.5, note: 'Payment received', reference: 'inv 1' },
    ],
  )
})

test('a negative credit is refused, and a correction cannot exceed the balance', async (t) => {
  const service = await operatedService(t)
  const path = `/account/${service.accountId}`
  const negative = await service.operate('POST', `${path}/credit`, { amount: -5, note: 'x' })
  assert.equal(negative.status, 400)
  assert.match(negative.body.error, /^amount must be more than \$0/)

  const taken = await service.operate('POST', `${path}/correct`, { amount: -99.5, note: 'twice' })
  assert.equal(taken.body.account.balance, 0.5)
  const given = await service.operate('POST', `${path}/correct`, { amount: 1, note: 'back' })
  assert.equal(given.body.account.balance, 1.5)
  const tooMuch = await service.operate('POST', `${path}/correct`, { amount: -2, note: 'more' })
  assert.equal(tooMuch.status, 402)
  assert.equal(tooMuch.body.code, 'balance_insufficient')
  const nothing = await service.operate('POST', `${path}/correct`, { amount: 0, note: 'none' })
  assert.equal(nothing.status, 400)
  assert.equal((await service.audit()).length, 2)
})

test('every route returns not found for an unknown account', async (t) => {
  const service = await operatedService(t)
  for (const id of [newId('acc', new Date()), 'acc_1', '%00', 'x'.repeat(600)]) {
    const got = await service.operate('GET', `/account/${id}`)
    assert.equal(got.body.account, null)
    assert.ok([400, 404].includes(got.status))
    for (const [act, body] of [
      ['suspend', { reason: 'x' }],
      ['resume', { reason: 'x' }],
      ['credit', { amount: 1, note: 'x' }],
      ['correct', { amount: 1, note: 'x' }],
    ] as const) {
      const reply = await service.operate('POST', `/account/${id}/${act}`, body)
      assert.equal(reply.body.success, false, `${act} ${id}`)
      assert.ok([400, 404].includes(reply.status), `${act} ${id} ${reply.status}`)
    }
  }
})
