// The carrier limits of a campaign with their current use. Here and not with the campaigns, because only lanes know
// what was used.

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
    description: 'The name of this limit in `limits` of the campaign',
  }),
  carrier: Type.Enum(['att', 'tmo'], { description: 'AT&T or T-Mobile' }),
  period: Type.Enum(['minute', 'day'], {
    description:
      'A minute is a sliding window, enforced over 62 seconds to allow for network delay. A day is a day in Pacific time',
  }),
  unit: Type.Literal('segment', {
    description:
      'Parts on the wire, as carriers count them: 310 GSM characters are 3 parts, although they are billed as 2 segments. An MMS is 1',
  }),
  isAssigned: Type.Boolean({
    description: 'Limits are assigned on approval. Until then, `limit` is null',
  }),
  limit: {
    ...NullableInteger,
    description: 'null: no limit, or not assigned yet (see `isAssigned`)',
  },
  used: {
    ...NullableInteger,
    description:
      'Used in the last minute or since midnight Pacific time, as counted by the dispatcher. null if there is no limit',
  },
  resetsAt: {
    ...NullableTimestamp,
    description:
      'Per day: the next midnight Pacific time. Per minute: when the oldest use leaves the window, or null while nothing is used',
  },
  waiting: Type.Integer({ description: 'Messages that are due and have not been sent' }),
  waitingSince: { ...NullableTimestamp, description: 'When the oldest of them was due' },
  waitingUntil: {
    ...NullableTimestamp,
    description: 'When the next message can be sent. null if they are not waiting for the limit',
  },
  atLimit: Type.Enum(['wait', 'fail'], {
    description:
      'What happens to a message over the limit. `fail`: FAILED 1320, not charged. `wait`: it waits until the day ends (`holdAtDailyCap` of the campaign)',
  }),
})

const GET = operation({
  id: 'getLimits',
  databaseClass: 'report',
  tag: 'Campaigns',
  summary: 'Get the carrier limits of a campaign: usage, waiting messages, and reset times',
  description: 'Networks without a limit are not listed.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  reply: Type.Object({
    limits: Type.Array(LimitUseShape),
    now: { ...Timestamp, description: 'The current time of the service' },
    notCarriedBy: Type.Optional(
      Type.Array(Type.String({ examples: ['T-Mobile: REVIEW'] }), {
        description:
          'Networks that have not accepted the campaign yet or have suspended it, with their status. They refuse messages from this campaign',
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
