// Every pair of campaign statuses, compared with the table in decision 0010.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CAMPAIGN_STATUSES, type CampaignStatus, canMove, moveCampaign } from './campaign-state.js'

const MOVES = new Set([
  'DRAFT PENDING',
  'PENDING ACTIVE',
  'PENDING DRAFT',
  'ACTIVE SUSPENDED',
  'SUSPENDED ACTIVE',
  'DRAFT ENDED',
  'PENDING ENDED',
  'ACTIVE ENDED',
  'SUSPENDED ENDED',
])

const PAIRS = CAMPAIGN_STATUSES.flatMap((source) =>
  CAMPAIGN_STATUSES.map((target): [CampaignStatus, CampaignStatus] => [source, target]),
)

test('a campaign makes the moves in decision 0010 and no others', () => {
  assert.equal(PAIRS.length, 25)
  for (const [source, target] of PAIRS) {
    assert.equal(canMove(source, target), MOVES.has(`${source} ${target}`), `${source} ${target}`)
  }
})

test('an impossible move is refused with the names of both states', () => {
  for (const [source, target] of PAIRS) {
    const campaign = { id: 'cmp_1', status: source }
    if (canMove(source, target)) {
      assert.deepEqual(moveCampaign(campaign, target), { id: 'cmp_1', status: target })
    } else {
      assert.throws(() => moveCampaign(campaign, target), {
        code: 'campaign_state',
        message: `The campaign is ${source} and cannot become ${target}`,
      })
    }
  }
})
