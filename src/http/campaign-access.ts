// Checks whether a request concerns a campaign of a restricted token. Records of other campaigns look as if
// they did not exist. Each operation declares its check (CampaignAccess). token-check.ts refuses operations
// that declare none.

import type { FastifyRequest } from 'fastify'
import { type Caller, maySeeCampaign } from '../accounts/account.js'
import type { CampaignAccess } from '../kit/contract/operation.js'
import { fieldRefusal, Refusal } from '../kit/contract/refusal.js'
import type { Queryable } from '../kit/postgres/db.js'
import { getMessage } from '../messages/message-queries.js'
import { findNumber } from '../numbers/number-queries.js'
import { digitsToE164 } from '../text/phone-number.js'
import { getWebhook } from '../webhooks/webhook-queries.js'

type Texts = Record<string, unknown>

/** Runs before validation, so values can be anything. */
export async function checkCampaignAccess(db: Queryable, request: FastifyRequest): Promise<void> {
  const { caller } = request
  if (caller.campaigns === null) return
  const access = request.routeOptions.config.campaignAccess
  const query = request.query as Texts
  await checkPath(db, caller, access, request.params as Texts)
  if (query.campaign !== undefined && !maySeeCampaign(caller, String(query.campaign))) {
    throw new Refusal('campaign_missing')
  }
  if (query.message !== undefined) await checkMessage(db, caller, String(query.message))
  if (access === 'query' && query.campaign === undefined) query.campaign = onlyCampaign(caller)
}

async function checkPath(
  db: Queryable,
  caller: Caller,
  access: CampaignAccess | undefined,
  { id, number }: Texts,
): Promise<void> {
  if (access === 'campaign' && !maySeeCampaign(caller, String(id))) {
    throw new Refusal('campaign_missing')
  }
  if (access === 'message') await checkMessage(db, caller, String(id))
  if (access === 'number') await checkNumber(db, caller, String(number))
  if (access === 'webhook') {
    const { campaignId } = await getWebhook(db, caller.accountId, String(id))
    if (!maySeeCampaign(caller, campaignId)) throw new Refusal('webhook_missing')
  }
}

async function checkMessage(db: Queryable, caller: Caller, id: string): Promise<void> {
  const { campaignId } = await getMessage(db, caller.accountId, id)
  if (!maySeeCampaign(caller, campaignId)) throw new Refusal('message_missing')
}

async function checkNumber(db: Queryable, caller: Caller, digits: string): Promise<void> {
  const phoneNumber = digitsToE164(digits)
  const found = phoneNumber ? await findNumber(db, phoneNumber) : null
  const isOwn = found?.accountId === caller.accountId && maySeeCampaign(caller, found.campaignId)
  if (!isOwn) throw new Refusal('number_missing')
}

function onlyCampaign({ campaigns }: Caller): string {
  const [first, ...others] = campaigns!
  if (first !== undefined && others.length === 0) return first
  throw fieldRefusal(
    'campaign',
    'is required, because this access token is restricted to several campaigns',
  )
}
