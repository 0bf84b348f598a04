// Codes from an authenticator app: the vectors of the standard, and when a code is accepted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTotpStep, makeTotpSecret, totpCode, totpUri } from './totp.js'

/** The secret of RFC 6238, appendix B: "12345678901234567890". */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes equal the test vectors of RFC 6238', () => {
  const vectors: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of vectors) {
    assert.equal(totpCode(RFC_SECRET, Math.floor(seconds / 30)), code)
  }
})

test('a code works in its step, one before, and one after, and only once', () => {
  const secret = makeTotpSecret()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  const step = 60_000_000
  const now = new Date(step * 30_000)
  for (const near of [step - 1, step, step + 1]) {
    assert.equal(findTotpStep(secret, totpCode(secret, near), { now, after: 0 }), near)
  }
  for (const far of [step - 2, step + 2]) {
    assert.equal(findTotpStep(secret, totpCode(secret, far), { now, after: 0 }), null)
  }
  assert.equal(findTotpStep(secret, totpCode(secret, step), { now, after: step }), null)
  assert.equal(findTotpStep(secret, '', { now, after: 0 }), null)
})

test('the address for authenticator apps names the service and the person', () => {
  assert.equal(
    totpUri('ABC', { email: 'ana@example.com', issuer: 'Long code' }),
    'otpauth://totp/Long%20code:ana%40example.com?secret=ABC&issuer=Long%20code',
  )
})
