// `longcode user …`, each run as a program.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandStage } from './run-command.js'

test('user invite prints a link, and refuses a role of the wrong kind', async (t) => {
  const stage = await commandStage(t)
  const { accountId } = stage
  const [invited, wrong, bad] = await Promise.all([
    stage.run('user', 'invite', 'Ana@example.com', '--account', accountId, '--role', 'owner'),
    stage.run('user', 'invite', 'ana@example.com', '--role', 'owner'),
    stage.run('user', 'invite', 'ana', '--role', 'support'),
  ])
  assert.equal(invited.code, 0, invited.err)
  assert.match(invited.out, /^http:\/\/\S+\/console\/join#k=lci_[\w-]{43}$/m)
  assert.match(invited.err, /Send this link to ana@example\.com\. It works once, for seven days\./)
  assert.match(wrong.err, /role must be one of operator, reviewer, support, finance without an/)
  assert.match(bad.err, /email must be an email address/)
})

test('user list, role, recover, and delete find a person by email', async (t) => {
  const stage = await commandStage(t)
  const link = await stage.runJson('user', 'invite', 'ana@example.com', '--role', 'support')
  const code = link.url.split('#k=')[1]
  const accepted = await stage.post(
    '/console/invitation/accept',
    { code, name: 'Ana Silva', password: 'stapled rain umbrella' },
    { token: null, headers: { 'x-longcode-console': '1' } },
  )
  assert.equal(accepted.status, 200)
  const changed = await stage.runJson('user', 'role', 'ana@example.com', 'finance')
  assert.equal(changed.user.role, 'finance')
  const unknown = await stage.run('user', 'role', 'ana@example.com', 'king')
  assert.match(
    unknown.err,
    /The role must be one of operator, reviewer, support, finance, or none\./,
  )
  const listed = await stage.run('user', 'list')
  assert.match(listed.out, /^usr_\w+ +ana@example\.com +Ana Silva +finance/m)
  const recovered = await stage.run('user', 'recover', 'ana@example.com')
  assert.match(recovered.out, /\/console\/join#k=lci_/)
  assert.equal((await stage.run('user', 'delete', 'ana@example.com')).code, 0)
  const gone = await stage.run('user', 'recover', 'ana@example.com')
  assert.match(gone.err, /Person not found/)
})
