// Runs every code block of the start page and of the guides that follow it, as printed except for the address, the token,
// and IDs.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { seedInventory } from '../../src/sandbox/seed-inventory.js'
import { temporaryFolder } from '../commands/run-command.js'
import { blocksOf, Reader } from '../documented-blocks.js'
import { testService } from '../harness.js'
import { READ_BLOCKS, RUN_BLOCKS } from './webhook-blocks.js'

const START = 'docs/start.md'
/** In an order that leaves the campaign usable: the clock moves last. */
const GUIDES = [
  'docs/10dlc.md',
  'docs/limits.md',
  'docs/sending.md',
  'docs/idempotency.md',
  'docs/webhooks.md',
  'docs/opt-outs.md',
  'docs/inbox.md',
  'docs/search.md',
  'docs/alerts.md',
  'docs/media.md',
  'docs/migrate/twilio.md',
  'docs/migrate/telnyx.md',
  'docs/migrate/bandwidth.md',
  'docs/going-live.md',
  'docs/testing.md',
  'docs/billing.md',
]

/** Blocks that other tests run or check, by their first line. */
const OTHERS: Record<string, string[]> = {
  'docs/webhooks.md': [...RUN_BLOCKS, ...READ_BLOCKS],
  'docs/opt-outs.md': ['{'],
}

test('the start page and the guides run as printed', async (t) => {
  const service = await testService(t, { roles: ['api', 'dispatch', 'deliver', 'schedule'] })
  await seedInventory(service.world.db)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const folder = temporaryFolder(t)
  const picture = sharp({
    create: { width: 8, height: 8, channels: 3, background: { r: 0, g: 105, b: 114 } },
  })
  writeFileSync(path.join(folder, 'photo.jpg'), await picture.jpeg().toBuffer())
  const reader = new Reader(`http://127.0.0.1:${port}`, service.token, folder)
  await reader.read(START)
  for (const page of GUIDES) await reader.read(page, OTHERS[page])
  assert.ok(blocksOf(START).length >= 8)
})
