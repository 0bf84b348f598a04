// Which words change the simulated registry's usual decision.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decisionOnCampaign, decisionsOnBrand } from './registry.js'

const kindsFor = (entityName: string | null): string[] =>
  decisionsOnBrand({ entityName }).map(({ kind }) => kind)

test('a brand is verified unless its name requests something else', () => {
  assert.deepEqual(kindsFor('Acme LLC'), ['verify'])
  assert.deepEqual(kindsFor('Refuse Me LLC'), ['refuse'])
  assert.deepEqual(kindsFor('please REFUSE ME'), ['refuse'])
  assert.deepEqual(kindsFor('Vet Me Inc.'), ['verify', 'vet'])
  assert.deepEqual(kindsFor('Veterinary Medics'), ['verify'])
})

test('a campaign is approved unless its description asks to be returned', () => {
  assert.equal(decisionOnCampaign({ description: 'Weekly offers' }).kind, 'approve')
  const returned = decisionOnCampaign({ description: 'Return this campaign, please.' })
  assert.equal(returned.kind, 'return')
  assert.ok(returned.kind === 'return' && returned.notes.length > 0)
})
