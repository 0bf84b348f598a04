// The carrier limits of a campaign with their use at this moment. Here and not with the campaigns,
// because only lanes know what was used.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { uncarriedOf } from '../../brands/registration.js'
import { findRegistration } from '../../brands/registration-queries.js'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { operation } from '../../kit/contract/operation.js'
import { IdParams, Noun, NullableTimestamp, Timestamp } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { listLaneUse } from './lane-use-queries.js'
import { type LimitUse, limitUses } from './limit-use.js'

const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

const LimitUseShape = Noun('LimitUse', {
  name: Type.Enum(['smsTpmAtt', 'mmsTpmAtt', 'dailyTmoCap'], {
    description: 'Its name in `limits` of the campaign',
  }),
  carrier: Type.Enum(['att', 'tmo'], { description: 'AT&T or T-Mobile' }),
  period: Type.Enum(['minute', 'day'], {
    description:
      'A minute slides, and is enforced over 62 seconds to allow for the way to the carrier. A day is a day in Pacific time',
  }),
  unit: Type.Literal('segment', {
    description:
      'Parts on the wire, as carriers count them: 310 GSM characters are 3 parts, although they are billed as 2 segments. An MMS is 1',
  }),
  isAssigned: Type.Boolean({
    description: 'Limits are assigned on approval. Before, `limit` is null for that reason',
  }),
  limit: { ...NullableInteger, description: 'null: no limit, or none yet (see `isAssigned`)' },
  used: {
    ...NullableInteger,
    description:
      'In the last minute or since the last Pacific midnight, as the dispatcher counts it. null where there is no limit',
  },
  resetsAt: {
    ...NullableTimestamp,
    description:
      'Of a day: the next Pacific midnight. Of a minute: when the oldest use leaves it, null while nothing is used',
  },
  waiting: Type.Integer({ description: 'Messages that are due and have not been taken up' }),
  waitingSince: { ...NullableTimestamp, description: 'When the first of them was due' },
  waitingUntil: {
    ...NullableTimestamp,
    description: 'When the next may go out; null where it is not the limit that keeps them',
  },
  atLimit: Type.Enum(['wait', 'fail'], {
    description:
      'What becomes of a message above the limit. `fail` is FAILED 1320, not charged; `holdAtDailyCap` of the campaign makes it `wait` until the day ends',
  }),
})

const GET = operation({
  id: 'getLimits',
  databaseClass: 'report',
  tag: 'Campaigns',
  summary: 'The carrier limits of a campaign: used, waiting, and when they reset',
  description: 'Other networks have no limit, and no entry.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  reply: Type.Object({
    limits: Type.Array(LimitUseShape),
    now: { ...Timestamp, description: 'The time of the service' },
    notCarriedBy: Type.Optional(
      Type.Array(Type.String({ examples: ['T-Mobile: REVIEW'] }), {
        description:
          'Networks that have not accepted the campaign yet or have suspended it, each with its status. They refuse messages of this campaign',
      }),
    ),
  }),
  example: {
    limits: [
      {
        name: 'smsTpmAtt',
        carrier: 'att',
        period: 'minute',
        unit: 'segment',
        isAssigned: true,
        limit: 240,
        used: 240,
        resetsAt: '2026-11-15T12:00:41.000Z',
        waiting: 38,
        waitingSince: '2026-11-15T12:00:12.345Z',
        waitingUntil: '2026-11-15T12:00:41.000Z',
        atLimit: 'wait',
      },
      {
        name: 'dailyTmoCap',
        carrier: 'tmo',
        period: 'day',
        unit: 'segment',
        isAssigned: true,
        limit: 2000,
        used: 312,
        resetsAt: '2026-11-16T08:00:00.000Z',
        waiting: 0,
        waitingSince: null,
        waitingUntil: null,
        atLimit: 'fail',
      },
    ],
    now: '2026-11-15T12:00:30.000Z',
  },
  failure: { limits: [] },
  refuses: ['campaign_missing'],
})

export const limitRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/campaign/:id/limits', GET, async ({ caller, params }) => {
    const campaign = await getCampaign(db, caller.accountId, params.id)
    const now = clock.now()
    const lanes = await listLaneUse(db, caller.accountId, campaign.id, now)
    const key = { accountId: caller.accountId, recordId: campaign.id }
    const notCarriedBy = uncarriedOf(await findRegistration(db, key))
    return {
      limits: limitUses(campaign, lanes, now).map(wireUse),
      now: now.toISOString(),
      ...(notCarriedBy.length > 0 && { notCarriedBy }),
    }
  })
}

function wireUse(use: LimitUse): Static<typeof LimitUseShape> {
  return {
    ...use,
    resetsAt: use.resetsAt?.toISOString() ?? null,
    waitingSince: use.waitingSince?.toISOString() ?? null,
    waitingUntil: use.waitingUntil?.toISOString() ?? null,
  }
}
