// The opt-out list of a campaign over HTTP. Manual changes need a reason, which is stored in the audit log.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { operation } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import {
  cutPage,
  HasMore,
  IdParams,
  Noun,
  NullableString,
  PathText,
  pageQueryWith,
  RequiredText,
  Timestamp,
} from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import { PhoneQuery, readPhoneQuery } from '../text/number-schema.js'
import { digitsToE164, pathNumberProblem } from '../text/phone-number.js'
import { optIn, optOut } from './opt-out.js'
import type { Optout } from './optout.js'
import { findOptout, listChanges, listOptouts } from './optout-queries.js'

export const OptoutShape = Noun('Optout', {
  recipient: Type.String(),
  campaignId: Type.String(),
  number: NullableString,
  keyword: NullableString,
  messageId: NullableString,
  reason: NullableString,
  optedOutAt: Timestamp,
})

export const OPTOUT_EXAMPLE = {
  recipient: '+14155550123',
  campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
  number: '+14152004000',
  keyword: 'STOP',
  messageId: 'msg_01km3v9w8m0000pqv3t5x7z9bd',
  reason: null,
  optedOutAt: '2026-11-15T12:00:00.000Z',
}

const NumberParams = Type.Object({ ...IdParams.properties, number: PathText() })
const REASON = RequiredText(500, { description: 'The reason, for the audit log' })

const LIST = operation({
  id: 'listOptouts',
  tag: 'Opt-outs',
  summary: 'List recipients who opted out of a campaign, by number',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  query: Type.Object({
    ...pageQueryWith({}).properties,
    after: Type.Optional(PhoneQuery({ description: 'The last recipient of the previous page' })),
  }),
  reply: Type.Object({ optouts: Type.Array(OptoutShape), hasMore: HasMore }),
  example: { optouts: [OPTOUT_EXAMPLE], hasMore: false },
  failure: { optouts: [] },
  refuses: ['campaign_missing'],
})

const HISTORY = operation({
  id: 'listOptoutChanges',
  tag: 'Opt-outs',
  summary: 'List the opt-outs and opt-ins of a recipient, newest first',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'campaign',
  params: NumberParams,
  reply: Type.Object({
    changes: Type.Array(
      Noun('OptoutChange', {
        change: Type.Enum(['opted_out', 'opted_in']),
        source: Type.String(),
        reason: NullableString,
        createdAt: Timestamp,
      }),
    ),
  }),
  example: {
    changes: [
      {
        change: 'opted_out',
        source: 'keyword',
        reason: null,
        createdAt: OPTOUT_EXAMPLE.optedOutAt,
      },
    ],
  },
  failure: { changes: [] },
  refuses: ['campaign_missing', 'number_missing'],
})

const PUT = operation({
  id: 'putOptout',
  tag: 'Opt-outs',
  summary: 'Opt out a recipient manually',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'campaign',
  params: NumberParams,
  body: Type.Object({ reason: REASON }),
  bodyExample: { reason: 'Requested by phone' },
  reply: Type.Object({ success: Type.Literal(true), optout: OptoutShape }),
  example: {
    success: true,
    optout: { ...OPTOUT_EXAMPLE, keyword: null, reason: 'Requested by phone' },
  },
  failure: { success: false },
  refuses: ['campaign_missing', 'field_invalid'],
})

const DELETE = operation({
  id: 'deleteOptout',
  tag: 'Opt-outs',
  summary: 'Remove an opt-out manually',
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'campaign',
  params: NumberParams,
  query: Type.Object({ reason: REASON }),
  reply: Type.Object({ success: Type.Literal(true), recipient: Type.String() }),
  example: { success: true, recipient: OPTOUT_EXAMPLE.recipient },
  failure: { success: false },
  refuses: ['campaign_missing', 'optout_missing'],
})

export const optoutRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/campaign/:id/optouts', LIST, async ({ caller, params, query }) => {
    await getCampaign(db, caller.accountId, params.id)
    const page = {
      limit: query.limit ?? 10,
      skip: query.skip ?? 0,
      after: readPhoneQuery(query.after),
    }
    const found = await listOptouts(db, caller.accountId, params.id, page)
    const { rows, hasMore } = cutPage(found, page)
    return { optouts: rows.map(wireOptout), hasMore }
  })

  app.get('/campaign/:id/optouts/:number', HISTORY, async ({ caller, params }) => {
    await getCampaign(db, caller.accountId, params.id)
    const recipient = digitsToE164(params.number)
    if (!recipient) throw new Refusal('number_missing')
    const changes = await listChanges(db, caller.accountId, params.id, recipient)
    return {
      changes: changes.map((c) => ({ ...c, createdAt: c.createdAt.toISOString() })),
    }
  })

  app.put('/campaign/:id/optouts/:number', PUT, async ({ caller, params, body, once }) => {
    const recipient = digitsToE164(params.number)
    if (!recipient) throw new Refusal('field_invalid', pathNumberProblem(params.number))
    return once(async (tx) => {
      await getCampaign(tx, caller.accountId, params.id)
      const optout: Optout = {
        campaignId: params.id,
        recipient,
        number: null,
        keyword: null,
        messageId: null,
        reason: body.reason,
        optedOutAt: clock.now(),
      }
      const actor = { source: 'api' as const, tokenId: caller.tokenId }
      const isNew = await optOut(tx, caller.accountId, optout, actor)
      const before = isNew ? null : await findOptout(tx, caller.accountId, params.id, recipient)
      return { success: true as const, optout: wireOptout(before ?? optout) }
    })
  })

  app.delete('/campaign/:id/optouts/:number', DELETE, async ({ caller, params, query, once }) =>
    once(async (tx) => {
      await getCampaign(tx, caller.accountId, params.id)
      const recipient = digitsToE164(params.number)
      const who = {
        campaignId: params.id,
        recipient: recipient ?? '',
        reason: query.reason,
        now: clock.now(),
      }
      const actor = { source: 'api' as const, tokenId: caller.tokenId }
      if (!recipient || !(await optIn(tx, caller.accountId, who, actor))) {
        throw new Refusal('optout_missing')
      }
      return { success: true as const, recipient }
    }),
  )
}

export function wireOptout(optout: Optout) {
  return { ...optout, optedOutAt: optout.optedOutAt.toISOString() }
}
