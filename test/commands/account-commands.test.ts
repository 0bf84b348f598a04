// `longcode account …`, `credit`, and `token …`, each run as a program.

import assert from 'node:assert/strict'
import os from 'node:os'
import { test } from 'node:test'
import { eventually } from '../harness.js'
import { commandStage } from './run-command.js'

test('account create, list, show, and change manage an account', async (t) => {
  const stage = await commandStage(t)
  const created = await stage.run('account', 'create', 'Acme Coffee', '--credit', '50')
  assert.equal(created.code, 0, created.err)
  const id = /^id +(acc_\w+)$/m.exec(created.out)![1]!
  assert.match(created.out, /^name +Acme Coffee$/m)
  assert.match(created.out, /^balance +50$/m)

  const [list, shown, changed] = await Promise.all([
    stage.run('account', 'list'),
    stage.runJson('account', 'show', id),
    stage.runJson('account', 'change', id, '--message-days', '30', '--media-days', 'never'),
  ])
  const lines = list.out.trimEnd().split('\n')
  assert.match(lines[0]!, /^ID +NAME +STATUS +BALANCE +CREATED AT$/)
  assert.match(lines[1]!, new RegExp(`^${id} +Acme Coffee +ACTIVE +50 `))
  assert.equal(lines.length, 3)
  assert.equal(shown.balance, 50)
  assert.deepEqual([changed.name, changed.messageRetentionDays], ['Acme Coffee', 30])
})

test('credit and account correct change the balance, and the audit log names the user', async (t) => {
  const stage = await commandStage(t)
  const { accountId } = stage
  const note = ['--note', 'Payment']
  assert.equal((await stage.runJson('credit', accountId, '10', ...note)).balance, 110)
  const paid = ['account', 'credit', accountId, '2.5', ...note, '--reference', 'inv 1']
  assert.equal((await stage.runJson(...paid)).balance, 112.5)
  const [twice, taken] = await Promise.all([
    stage.run(...paid),
    stage.runJson('account', 'correct', accountId, '-12.50', '--note', 'mistake'),
  ])
  assert.equal(twice.code, 1)
  assert.match(twice.err, /^This reference was already used/)
  assert.equal(taken.balance, 100)

  const audit = await stage.runJson('audit', '--act', 'account.correct')
  assert.deepEqual(audit[0].actor, {
    kind: 'command',
    id: null,
    name: os.userInfo().username,
    origin: os.hostname(),
    requestId: null,
  })
})

test('commands use the only account if none is named', async (t) => {
  const stage = await commandStage(t)
  const { accountId } = stage
  const note = ['--note', 'Gift']
  assert.equal((await stage.runJson('credit', '10', ...note)).balance, 110)
  assert.equal((await stage.runJson('account', 'credit', '5', ...note)).balance, 115)
  assert.equal((await stage.runJson('account', 'correct', '-15', ...note)).balance, 100)
  const reason = ['--reason', 'invoice 1042']
  assert.equal((await stage.runJson('account', 'suspend', ...reason)).status, 'SUSPENDED')
  assert.equal((await stage.runJson('account', 'resume', ...reason)).status, 'ACTIVE')
  assert.equal((await stage.runJson('account', 'change', '--name', 'Acme')).name, 'Acme')
  assert.equal((await stage.runJson('account', 'show')).id, accountId)
  assert.equal((await stage.runJson('smpp', 'limit', '--rate', '7')).submitsPerSecond, 7)
  const [nothing, noAmount] = await Promise.all([
    stage.run('credit', ...note),
    stage.run('credit', accountId, ...note),
  ])
  assert.deepEqual([nothing.code, noAmount.code], [2, 2])
  assert.equal(nothing.err, 'Give the amount in dollars, for example 50.\n')
  assert.equal(noAmount.err, 'Give the amount after the account.\n')
})

test('a failure exits with 1 and a usage error with 2, each with one sentence', async (t) => {
  const stage = await commandStage(t)
  const { accountId } = stage
  const cases: [number, RegExp, string[]][] = [
    [1, /^the amount must be more than \$0/, ['credit', accountId, '-5', '--note', 'x']],
    [1, /^Account not found\n$/, ['account', 'show', 'acc_1']],
    [
      1,
      /^The account is ACTIVE\. Only a SUSPENDED account can be resumed\.\n$/,
      ['account', 'resume', accountId, '--reason', 'x'],
    ],
    [2, /required option '--reason <text>' not specified/, ['account', 'suspend', accountId]],
    [2, /unknown command 'fly'/, ['fly']],
    [2, /unknown option '--fly'/, ['account', 'list', '--fly']],
    [
      2,
      /^--limit must be a whole number, 1 or more, not "many"/,
      ['account', 'list', '--limit', 'many'],
    ],
    [
      2,
      /^--scopes must be a list of read, send, manage, billing, not "fly"/,
      ['token', 'create', '--scopes', 'fly'],
    ],
  ]
  const results = await Promise.all(cases.map(([, , args]) => stage.run(...args)))
  for (const [i, [code, error, args]] of cases.entries()) {
    assert.equal(results[i]!.code, code, args.join(' '))
    assert.match(results[i]!.err, error)
    assert.equal(results[i]!.out, '')
  }
  const asJson = await stage.run('account', 'show', 'acc_1', '--json')
  assert.deepEqual(JSON.parse(asJson.err), { error: 'Account not found', code: 'account_missing' })
})

test('account suspend, resume, and delete change the status of an account', async (t) => {
  const stage = await commandStage(t)
  const { accountId } = stage
  const reason = ['--reason', 'asked']
  assert.equal(
    (await stage.runJson('account', 'suspend', accountId, ...reason)).status,
    'SUSPENDED',
  )
  await eventually(async () => (await stage.get('/v1/account')).status === 403)
  assert.equal((await stage.runJson('account', 'resume', accountId, ...reason)).status, 'ACTIVE')
  await stage.run('account', 'suspend', accountId, ...reason)
  const [unsure, deleted] = [
    await stage.run('account', 'delete', accountId, ...reason),
    await stage.run('account', 'delete', accountId, ...reason, '--yes'),
  ]
  assert.equal(unsure.code, 2)
  assert.match(unsure.err, /cannot be undone/)
  assert.match(deleted.out, new RegExp(`^Deleted ${accountId}: 2 rows`))
  const gone = await stage.runJson('account', 'list', '--status', 'DELETED')
  assert.equal(gone[0].id, accountId)
})

test('token create, list, and revoke work for accounts and operators', async (t) => {
  const stage = await commandStage(t)
  const made = await stage.run('token', 'create', '--name', 'laptop', '--scopes', 'read')
  assert.equal(made.code, 0, made.err)
  const token = made.out.trim()
  assert.match(token, /^lc_[\w-]{43}$/)
  assert.deepEqual((await stage.get('/v1/account', { token })).body.scopes, ['read'])

  const [list, own, nameless] = await Promise.all([
    stage.runJson('token', 'list'),
    stage.run('token', 'create', '--operator', '--name', 'ana'),
    stage.run('token', 'create', '--operator'),
  ])
  const { id } = list.find((listed: { name: string }) => listed.name === 'laptop')
  assert.equal(nameless.code, 2)
  const operatorToken = own.out.trim()
  const accounts = await stage.get('/operator/v1/account/list', { token: operatorToken })
  assert.equal(accounts.status, 200)

  const [ownList, revoked] = await Promise.all([
    stage.runJson('token', 'list', '--operator'),
    stage.run('token', 'revoke', id),
  ])
  assert.equal(revoked.out, `Revoked ${id}.\n`)
  await stage.run('token', 'revoke', ownList[0].id, '--operator')
  const refused = await stage.get('/operator/v1/account/list', { token: operatorToken })
  assert.equal(refused.status, 401)

  const smpp = await stage.runJson('token', 'create', '--smpp')
  assert.match(smpp.token.smpp.systemId, /^lc\w{13}$/)
  assert.match(smpp.smppPassword, /^\w{8}$/)
  assert.deepEqual(smpp.token.scopes, ['read', 'send'])
  const astray = await stage.run('token', 'create', '--campaign', 'cmp_1')
  assert.deepEqual([astray.code, astray.err], [1, 'Campaign not found: cmp_1\n'])
  const numbered = await stage.run('token', 'create', '--number', '+14152000001')
  assert.deepEqual([numbered.code, numbered.err], [2, '--number requires --smpp.\n'])

  await stage.otherAccount()
  const unclear = await stage.run('token', 'list')
  assert.deepEqual(
    [unclear.code, unclear.err],
    [2, 'There are several accounts. Name one: `longcode account list` shows them.\n'],
  )
})

test('smpp show, limit, and allow show and change an account’s SMPP settings', async (t) => {
  const stage = await commandStage(t)
  const { accountId } = stage
  const { token } = await stage.runJson('token', 'create', '--account', accountId, '--smpp')
  const { systemId } = token.smpp
  const limited = await stage.runJson('smpp', 'limit', accountId, '--rate', '50', '--binds', '2')
  assert.deepEqual([limited.submitsPerSecond, limited.binds, limited.window], [50, 2, null])
  const [again, allowed, none, wrong] = await Promise.all([
    stage.runJson('smpp', 'limit', accountId, '--rate', 'default'),
    stage.run('smpp', 'allow', systemId, '192.0.2.0/24', '2001:db8::7'),
    stage.run('smpp', 'allow', systemId),
    stage.run('smpp', 'limit', accountId, '--binds', '0'),
  ])
  assert.deepEqual([again.submitsPerSecond, again.binds], [null, 2])
  assert.equal(allowed.out, `${systemId} can bind from 192.0.2.0/24, 2001:db8::7.\n`)
  assert.deepEqual([none.code, wrong.code], [2, 2])
  const shown = await stage.run('smpp', 'show', accountId)
  assert.match(shown.out, /^rate default, binds 2, window default$/m)
  assert.match(shown.out, new RegExp(`^${systemId} +tok_\\w+ +192.0.2.0/24 2001:db8::7$`, 'm'))
})
