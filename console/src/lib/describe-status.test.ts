// Statuses in sentences.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeBrand, describeCampaign } from './describe-status'

test('no status appears as an API constant in a sentence', () => {
  assert.equal(describeCampaign('ENDED'), 'The campaign has ended.')
  assert.equal(describeCampaign('PENDING', 'Blue Door Care'), 'Blue Door Care is in review.')
  assert.equal(describeBrand('VETTED'), 'This brand is vetted.')
  assert.equal(describeBrand('UNVERIFIED', 'Blue Door'), 'Blue Door has been returned.')
})
