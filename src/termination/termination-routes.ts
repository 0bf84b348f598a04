// The end of a campaign over HTTP: a preview, and the end itself. Extension (not in the contract).

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { CAMPAIGN_EXAMPLE } from '../campaigns/campaign-operations.js'
import { getCampaign } from '../campaigns/campaign-queries.js'
import { CampaignShape, wireCampaign } from '../campaigns/campaign-wire.js'
import { operation } from '../kit/contract/operation.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import { IdParams } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import type { NumberSources } from '../numbers/number-source.js'
import { beginClearing } from './continue-terminations.js'
import { endCampaign } from './end-campaign.js'
import { previewTermination } from './preview-termination.js'
import { findTermination } from './termination-queries.js'
import {
  PREVIEW_EXAMPLE,
  PreviewShape,
  TERMINATION_EXAMPLE,
  TerminationShape,
  wirePreview,
  wireTermination,
} from './termination-wire.js'

export const MoveNumbersTo = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      'Another ACTIVE campaign that gets the numbers. Its carrier links must host all of them. Absent: the numbers are released',
  }),
)

export const Confirm = Type.String({
  maxLength: 100,
  description: 'Repeat the ID of the campaign to confirm. This cannot be undone',
  'x-missing': 'confirm is required. Repeat the ID of the campaign, because this cannot be undone',
})

export function checkConfirmed(id: string, confirm: string): void {
  if (confirm === id) return
  throw fieldRefusal('confirm', `must be ${id}, because ending a campaign cannot be undone`)
}

const PREVIEW = operation({
  id: 'previewCampaignEnd',
  tag: 'Campaigns',
  summary: 'Preview the end of a campaign',
  description: 'Changes nothing. If the campaign has ended, `ending` shows what was done.',
  isExtension: true,
  scope: 'read',
  campaignAccess: 'campaign',
  params: IdParams,
  query: Type.Object({ moveNumbersTo: MoveNumbersTo }),
  reply: Type.Object({
    preview: Type.Union([PreviewShape, Type.Null()]),
    ending: Type.Union([TerminationShape, Type.Null()]),
  }),
  example: { preview: PREVIEW_EXAMPLE, ending: null },
  failure: { preview: null, ending: null },
  refuses: ['campaign_missing', 'campaign_state', 'number_not_carried', 'field_invalid'],
})

const ENDED_EXAMPLE = {
  ...CAMPAIGN_EXAMPLE,
  status: 'ENDED',
  endedAt: TERMINATION_EXAMPLE.endedAt,
}

const END = operation({
  id: 'endCampaign',
  tag: 'Campaigns',
  summary: 'End a campaign permanently',
  description: `Immediately stops sends, purchases, and renewals, in any state. Then its numbers are released or moved, and waiting messages are canceled (FAILED 1410) and refunded. Much of this continues after the response, and \`GET /v1/campaign/{id}/end\` shows the progress. Messages that the carrier already has are not affected. Fees already paid are not refunded.

This cannot be undone, so \`confirm\` must be the ID of the campaign. Ending it again changes nothing.`,
  isExtension: true,
  scope: 'manage',
  campaignAccess: 'campaign',
  params: IdParams,
  body: Type.Object({
    confirm: Confirm,
    moveNumbersTo: MoveNumbersTo,
  }),
  bodyExample: { confirm: CAMPAIGN_EXAMPLE.id },
  reply: Type.Object({
    success: Type.Literal(true),
    campaign: CampaignShape,
    ending: TerminationShape,
  }),
  example: { success: true, campaign: ENDED_EXAMPLE, ending: TERMINATION_EXAMPLE },
  failure: { success: false },
  refuses: ['campaign_missing', 'campaign_state', 'number_not_carried', 'field_invalid'],
})

type Options = World & { sources: NumberSources }

export const terminationRoutes: FastifyPluginAsyncTypebox<Options> = async (app, world) => {
  const { db, clock, sources } = world
  const canSend = sources.canSend.bind(sources)

  app.get('/campaign/:id/end', PREVIEW, async ({ caller: { accountId }, params, query }) => {
    const { id, status } = await getCampaign(db, accountId, params.id)
    if (status === 'ENDED') {
      const ending = await findTermination(db, accountId, id)
      return { preview: null, ending: ending && wireTermination(ending) }
    }
    const request = { campaignId: id, moveNumbersTo: query.moveNumbersTo ?? null }
    const preview = await previewTermination(db, accountId, request, canSend)
    return { preview: wirePreview(preview), ending: null }
  })

  app.post('/campaign/:id/end', END, async ({ caller: { accountId }, params, body, once }) => {
    const { id } = await getCampaign(db, accountId, params.id)
    checkConfirmed(id, body.confirm)
    const request = { campaignId: id, moveNumbersTo: body.moveNumbersTo ?? null }
    // The key protects the end itself. Its progress is read again, even for a repeated request.
    await once(async (tx) => {
      await endCampaign(tx, accountId, request, clock.now(), canSend)
      return { success: true as const }
    })
    await beginClearing(world, { accountId, campaignId: id })
    const campaign = await getCampaign(db, accountId, id)
    const ending = await findTermination(db, accountId, id)
    return {
      success: true as const,
      campaign: wireCampaign(campaign),
      ending: wireTermination(ending!),
    }
  })
}
