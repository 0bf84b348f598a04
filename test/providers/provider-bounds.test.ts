// The shortest and the longest value of each text of every provider's links. A new provider gets its own row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { PROVIDERS } from '../../src/carriers/providers/providers.js'
import { LINK_FIELDS, type ProviderName } from './provider-messages.js'

/** By field: the lengths that are accepted. A field of an object has its path. */
const LENGTHS: Record<ProviderName, Record<string, readonly [number, number]>> = {
  telnyx: { apiKey: [1, 500], publicKey: [1, 100], profiles: [1, 100] },
  bandwidth: {
    ...{ accountId: [1, 100], user: [1, 200], password: [1, 500], application: [1, 100] },
    ...{ applications: [1, 100], callbackUser: [1, 200], callbackPassword: [12, 500] },
    ...{ 'numbers.siteId': [1, 40], 'numbers.locationId': [1, 40], 'numbers.locations': [1, 100] },
  },
  twilio: { authToken: [1, 500], apiKey: [1, 100], apiSecret: [1, 500], services: [1, 100] },
}

const CAMPAIGN = `cmp_${'1'.repeat(26)}`
const NUMBERS = { monthlyPrice: 1, siteId: '1', locationId: '2' }

function isAccepted(name: ProviderName, path: string, value: string): boolean {
  const { fields } = PROVIDERS.find((one) => one.name === name)!
  const [field = '', inner] = path.split('.')
  const given = /s$/.test(inner ?? field) ? { [CAMPAIGN]: value } : value
  const own = inner === undefined ? { [field]: given } : { [field]: { ...NUMBERS, [inner]: given } }
  return Value.Check(fields, Value.Default(fields, { ...LINK_FIELDS[name], ...own }))
}

for (const name of Object.keys(LENGTHS) as ProviderName[]) {
  test(`${name}: a text is accepted from its shortest to its longest length`, () => {
    for (const [path, [shortest, longest]] of Object.entries(LENGTHS[name])) {
      const accepts = (length: number) => isAccepted(name, path, 'x'.repeat(length))
      assert.deepEqual([shortest, longest].map(accepts), [true, true], path)
      assert.deepEqual([shortest - 1, longest + 1].map(accepts), [false, false], path)
    }
  })

  test(`${name}: a URL has at most 500 characters`, () => {
    const { properties } = PROVIDERS.find((one) => one.name === name)!.fields
    const urls = Object.keys(properties).filter((field) => /url$/i.test(field))
    assert.ok(urls.length > 0)
    const start = 'https://x.test/'
    for (const field of urls) {
      const accepts = (length: number) => isAccepted(name, field, start.padEnd(length, 'x'))
      assert.deepEqual([500, 501].map(accepts), [true, false], field)
    }
  })
}
