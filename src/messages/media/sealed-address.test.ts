// URLs for carriers to fetch files: what they give access to, and until when.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { fileName, SealedAddresses, type SealedParts } from './sealed-address.js'

const NOW = new Date('2026-11-16T12:20:00.000Z')
const SETTINGS = { publicUrl: 'https://sms.ours.test', mediaLinkHours: 24 }
const HASH = 'A_-'.repeat(14).padEnd(43, '0')
const NAME = fileName({ hash: HASH, bytesMax: 425_000 }, 'image/jpeg')

function partsOf(address: string): SealedParts {
  const [, media, accountId, until, seal, name] = new URL(address).pathname.split('/')
  assert.equal(media, 'media')
  return { accountId: accountId!, until: until!, seal: seal!, name: name! }
}

test('a URL names one file and is valid for a day, to the full hour', () => {
  const addresses = new SealedAddresses(SETTINGS, randomBytes(32))
  const address = addresses.of('acc_1', NAME, NOW)
  assert.match(
    address,
    /^https:\/\/sms\.ours\.test\/media\/acc_1\/\d+\/[\w-]{22}\/[\w-]{43}\.425000\.jpg$/,
  )
  const later = new Date(NOW.getTime() + 39 * 60_000)
  assert.equal(addresses.of('acc_1', NAME, later), address, 'the same for all within the hour')
  const key = { accountId: 'acc_1', hash: HASH, bytesMax: 425_000 }
  assert.deepEqual(addresses.read(partsOf(address), NOW), key)
  const end = new Date('2026-11-17T13:00:00.000Z')
  assert.deepEqual(addresses.read(partsOf(address), new Date(end.getTime() - 1)), key)
  assert.equal(addresses.read(partsOf(address), end), null)
})

test('any change to a URL makes it invalid', () => {
  const addresses = new SealedAddresses(SETTINGS, randomBytes(32))
  const parts = partsOf(addresses.of('acc_1', NAME, NOW))
  const changes: Partial<SealedParts>[] = [
    { accountId: 'acc_2' },
    { until: String(Number(parts.until) + 1) },
    { name: NAME.replace('425000', '0') },
    { name: NAME.replace('jpg', 'png') },
    { name: `x${NAME.slice(1)}` },
    { name: '../../etc/passwd' },
    { seal: '' },
    { seal: parts.seal.slice(1) },
    { seal: `${parts.seal.slice(0, -1)}${parts.seal.endsWith('A') ? 'B' : 'A'}` },
    { seal: 'é'.repeat(11) },
  ]
  for (const change of changes) {
    assert.equal(addresses.read({ ...parts, ...change }, NOW), null, JSON.stringify(change))
  }
  assert.equal(new SealedAddresses(SETTINGS, randomBytes(32)).read(parts, NOW), null)
})
