// Registration through every provider that registers: what is requested for each operation, and what each response
// means. A new provider that registers gets its own cases.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Registrar } from '../../../src/campaigns/registration/registrar.js'
import { createProviderClient } from '../../../src/carriers/providers/provider-client.js'
import { PROVIDERS } from '../../../src/carriers/providers/providers.js'
import { accountOf } from '../provider-messages.js'
import { ADDRESSES, type Peer, SIGNATURES, startPeer } from './exchange.js'
import { CALLBACK_URL, type RegistrarCase, type RegistrarCases } from './registration-cases.js'
import { TELNYX_BRANDS, TELNYX_REAL_BRAND } from './telnyx-brands.js'
import { TELNYX_CAMPAIGNS } from './telnyx-campaigns.js'

const CASES: { telnyx: RegistrarCases } = { telnyx: { ...TELNYX_BRANDS, ...TELNYX_CAMPAIGNS } }
const NAMES = Object.keys(CASES) as (keyof typeof CASES)[]

const MOCK = { vertical: 'RETAIL', mock: true }

function registrarAt(
  t: TestContext,
  { url }: Peer,
  name: keyof typeof CASES,
  registration: object = MOCK,
): Registrar {
  const { codes } = PROVIDERS.find((one) => one.name === name)!
  const account = accountOf(name, { ...ADDRESSES[name](url), registration })
  const { create, parseError } = account.registration!
  const client = createProviderClient({ codes, parseError, timeoutMs: 60_000 })
  t.after(() => client.close())
  return create({ link: 'acme', settleMs: 7_000, callbackUrl: CALLBACK_URL }, client)
}

for (const name of NAMES) {
  for (const [operation, cases] of Object.entries<readonly RegistrarCase[]>(CASES[name])) {
    test(`${name}: ${operation} sends these requests and understands each response`, async (t) => {
      const peer = await startPeer(t)
      const registrar = registrarAt(t, peer, name)
      for (const one of cases) await peer.play(registrar, SIGNATURES[name], one)
    })
  }
}

test('every provider that registers has cases', () => {
  const registering = PROVIDERS.filter(({ setup }) => setup?.hasRegistration)
  assert.deepEqual(
    registering.map(({ name }) => name),
    NAMES,
  )
})

test('telnyx: the link decides about test mode and the industry of brands without one', async (t) => {
  const peer = await startPeer(t)
  const { link, vertical, settleMs } = registrarAt(t, peer, 'telnyx')
  assert.deepEqual([link, vertical, settleMs], ['acme', 'RETAIL', 7_000])
  const real = registrarAt(t, peer, 'telnyx', { mock: false })
  assert.equal(real.vertical, null)
  await peer.play(real, SIGNATURES.telnyx, TELNYX_REAL_BRAND)
})
