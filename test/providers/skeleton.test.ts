// A fourth provider, built by the checklist in CONTRIBUTING.md: one folder, one line in the list, and the conformance
// suite that every link must pass. It compiles and sends without numbers, registration, or a setup.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { PROVIDERS, PROVIDERS_WITH_SETUP } from '../../src/carriers/providers/providers.js'
import { linkKinds } from '../../src/carriers/settings/link-kinds.js'
import { readCarriers } from '../../src/carriers/settings/read-carriers.js'
import type { Database } from '../../src/kit/postgres/db.js'
import { testCarrier } from '../carrier-conformance.js'
import { temporaryFolder } from '../commands/run-command.js'
import { providerStage, STAGE_LINK, STAGE_PUBLIC_URL } from './provider-stage.js'
import { skeletonFace } from './skeleton/face.js'
import { skeleton } from './skeleton/fields.js'

const KINDS = linkKinds([
  ...PROVIDERS,
  skeleton, // the one line
])

const SOURCE = { allowsSimulator: false, publicUrl: STAGE_PUBLIC_URL, variable: () => null }

testCarrier('skeleton', (t) => {
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  return providerStage(t, {
    ...{ face: skeletonFace('KEY'), code: 'bad_number' },
    createLink: (url, deps) => {
      const fields = `url: ${url}, key: KEY, responseTimeoutSeconds: 20, concurrency: 8`
      const link = `{ name: ${STAGE_LINK}, kind: skeleton, lookSeconds: 1, ${fields} }`
      writeFileSync(file, `links: [${link}]\n`)
      const { links } = readCarriers({ ...SOURCE, file }, KINDS)
      return links[0]!.create({ ...deps, db: null as unknown as Database })
    },
  })
})

test('a provider without a setup is offered in the carriers file and nowhere else', (t) => {
  assert.ok(Object.hasOwn(KINDS, 'skeleton'))
  assert.equal(skeleton.setup, undefined)
  assert.ok(PROVIDERS_WITH_SETUP.every(({ setup }) => setup.fields.length > 0))
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, 'links: [{ name: acme, kind: skeleton, key: KEY }]\n')
  const [link] = readCarriers({ ...SOURCE, file }, KINDS).links
  assert.equal(link?.account, 'skeleton KEY')
  assert.equal(link?.openNumbers, undefined)
  assert.equal(link?.openRegistrar, undefined)
  assert.throws(() => readCarriers({ ...SOURCE, file }), /kind must be/)
})
