// Defaults, and how they follow changes of the brand, the use case, and the keywords.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Brand } from '../brands/brand.js'
import { NO_FIELDS } from '../brands/brand-fields.js'
import { applyFields, blankCampaign, type CampaignInput } from './campaign-fields.js'

const NOW = new Date('2026-11-15T12:00:00.000Z')

function brandNamed(displayName: string, id = 'brd_1'): Brand {
  return {
    ...NO_FIELDS,
    displayName,
    websiteUrl: `https://${displayName.toLowerCase()}.example`,
    accountId: 'acc_1',
    id,
    status: 'VERIFIED',
    trustScore: null,
    reviewNotes: [],
    submittedAt: NOW,
    createdAt: NOW,
    updatedAt: NOW,
  }
}

const ACME = brandNamed('Acme')

function planned(given: CampaignInput) {
  return applyFields(blankCampaign(ACME, NOW), given, { from: ACME, to: ACME })
}

test('default replies begin with the brand’s name and contain what carriers require', () => {
  const campaign = planned({ usecase: 'MARKETING' })
  assert.equal(campaign.displayName, 'Acme: Marketing')
  for (const reply of [campaign.optinMessage, campaign.optoutMessage, campaign.helpMessage]) {
    assert.match(reply, /^Acme: /)
    assert.ok(reply.length <= 160, reply)
  }
  assert.match(campaign.optinMessage, /HELP.*STOP/)
  assert.match(campaign.optoutMessage, /no more messages/)
  assert.match(campaign.helpMessage, / https:\/\/acme\.example$/)
})

test('default texts follow the brand, the use case, and the keywords they are built from', () => {
  const before = planned({ usecase: 'MARKETING', helpMessage: 'Acme: call us.' })
  const given: CampaignInput = { usecase: '2FA', optinKeywords: ['JOIN'], brandId: 'brd_2' }
  const after = applyFields(before, given, { from: ACME, to: brandNamed('Bolt', 'brd_2') })
  assert.equal(after.displayName, 'Bolt: 2FA')
  assert.match(after.optoutMessage, /^Bolt: .* Reply JOIN to opt in again\.$/)
  assert.equal(after.helpMessage, 'Acme: call us.')
})

test('null restores a default', () => {
  const custom = planned({ displayName: 'Mine', optinMessage: 'Hi' })
  assert.equal(custom.displayName, 'Mine')
  const reset = applyFields(
    custom,
    { displayName: null, optinMessage: null },
    { from: ACME, to: ACME },
  )
  assert.equal(reset.displayName, 'Acme')
  assert.match(reset.optinMessage, /^Acme: /)
})

test('a sample is changed by its position', () => {
  const before = planned({ samples: ['one', 'two', undefined, undefined, 'five'] })
  assert.deepEqual(before.samples, ['one', 'two', null, null, 'five'])
  const after = applyFields(
    before,
    { samples: [null, undefined, 'three'] },
    { from: ACME, to: ACME },
  )
  assert.deepEqual(after.samples, [null, 'two', 'three', null, 'five'])
})
