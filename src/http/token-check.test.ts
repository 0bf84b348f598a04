// The request guard alone: rates and scopes of known clients, and limits on unknown tokens.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../accounts/account.js'
import { Refusal } from '../kit/contract/refusal.js'
import { createRateLimiter } from './rate-limit.js'
import { createRequestGuard } from './token-check.js'

const CALLER: Caller = {
  accountId: 'acc_1',
  tokenId: 'tok_1',
  scopes: ['read', 'send'],
  expiresAt: null,
  campaigns: null,
}

function guardOf({ burst = 2, guesses = 2 } = {}) {
  const still = () => 0
  const guard = createRequestGuard(
    createRateLimiter(1, burst, still),
    createRateLimiter(1, guesses, still),
  )
  const shown: Record<string, string> = {}
  const reply = { headers: (headers: Record<string, string>) => Object.assign(shown, headers) }
  const show = (authorization: string, address: string, find: () => Promise<string>) =>
    guard.lookUp({ authorization, address }, find, reply)
  return { ...guard, shown, reply, show }
}

const unknown = async () => {
  throw new Refusal('token_unknown')
}
const found = async () => 'found'

test('a token needs the exact scope, and the refusal names it', () => {
  const { checkCaller, reply } = guardOf({ burst: 9 })
  checkCaller(CALLER, 'read', reply)
  checkCaller(CALLER, 'send', reply)
  for (const scope of ['manage', 'billing'] as const) {
    assert.throws(() => checkCaller(CALLER, scope, reply), {
      code: 'scope_absent',
      message: `This access token lacks the scope ${scope}`,
    })
  }
})

test('requests are counted by token, even without the scope, and headers show what is left', () => {
  const { checkCaller, checkRate, shown, reply } = guardOf()
  checkCaller(CALLER, 'read', reply)
  assert.equal(shown['ratelimit-remaining'], '1')
  assert.throws(() => checkCaller(CALLER, 'manage', reply), { code: 'scope_absent' })
  assert.equal(shown['ratelimit-remaining'], '0')
  assert.throws(() => checkCaller(CALLER, 'read', reply), { code: 'rate_limited' })
  assert.equal(shown['retry-after'], '1')
  assert.throws(() => checkRate('tok_1', reply), { code: 'rate_limited' })
  checkRate('tok_2', reply)
})

test('unknown tokens are counted by address; found tokens and service faults are not', async () => {
  const { show, shown } = guardOf()
  const fault = async () => {
    throw new Error('no database')
  }
  const suspended = async () => {
    throw new Refusal('account_suspended')
  }
  for (let i = 0; i < 3; i += 1) {
    assert.equal(await show(`Bearer good ${i}`, 'here', found), 'found')
    await assert.rejects(show('Bearer x', 'here', fault), { message: 'no database' })
    await assert.rejects(show('Bearer y', 'here', suspended), { code: 'account_suspended' })
  }
  assert.deepEqual(shown, {}, 'accepted clients do not see the count')
  await assert.rejects(show('Bearer a', 'here', unknown), { code: 'token_unknown' })
  await assert.rejects(show('Bearer b', 'here', unknown), { code: 'token_unknown' })
  await assert.rejects(show('Bearer c', 'here', unknown), { code: 'rate_limited' })
  assert.equal(shown['retry-after'], '1')
  assert.equal(await show('Bearer c', 'there', found), 'found')
})

test('a valid token not seen before is accepted from an address that sends unknown tokens', async () => {
  const { show } = guardOf()
  for (const name of ['a', 'b']) await assert.rejects(show(`Bearer ${name}`, 'here', unknown))
  await assert.rejects(show('Bearer c', 'here', unknown), { code: 'rate_limited' })
  assert.equal(await show('Bearer new', 'here', found), 'found')
})

test('lookups for such an address use at most two database slots, and their queue is bounded', async () => {
  const { show } = guardOf()
  for (const name of ['a', 'b']) await assert.rejects(show(`Bearer ${name}`, 'here', unknown))
  let underWay = 0
  let most = 0
  const looked = Promise.allSettled(
    Array.from({ length: 600 }, (_, i) =>
      show(`Bearer guess ${i}`, 'here', async () => {
        underWay += 1
        most = Math.max(most, underWay)
        await new Promise((resolve) => setImmediate(resolve))
        underWay -= 1
        return 'found'
      }),
    ),
  )
  const outcomes = (await looked).map(({ status }) => status)
  assert.equal(most, 2)
  assert.equal(outcomes.filter((status) => status === 'fulfilled').length, 502)
})

test('concurrent guesses count the same as sequential ones', async () => {
  const { show } = guardOf()
  const guesses = ['a', 'b', 'c', 'd'].map((name) => show(`Bearer ${name}`, 'here', unknown))
  const codes = (await Promise.allSettled(guesses)).map(
    (guess) => ((guess as PromiseRejectedResult).reason as Refusal).code,
  )
  assert.deepEqual(codes, ['token_unknown', 'token_unknown', 'rate_limited', 'rate_limited'])
})

test('a known token keeps working from such an address until it becomes invalid', async () => {
  const { show } = guardOf()
  await show('Bearer good', 'here', found)
  await assert.rejects(show('Bearer a', 'here', unknown))
  await assert.rejects(show('Bearer b', 'here', unknown))
  assert.equal(await show('Bearer good', 'here', found), 'found')
  assert.equal(await show('Bearer good', 'here', found), 'found')
  await assert.rejects(show('Bearer good', 'here', unknown), { code: 'token_unknown' })
  await assert.rejects(show('Bearer good', 'here', unknown), { code: 'rate_limited' })
})
