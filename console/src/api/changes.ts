// What each action changes: the queries to refetch afterwards, and nothing else. A route that is missing here cannot be
// requested. The live stream refreshes the same queries when someone else changes something.

import type { Query, QueryClient } from '@tanstack/react-query'
import type { CreateWebhookBody, Routes } from '../../generated/types.gen'
import { postpone } from './held-queries'

/** Queries of the account pages, by the first part of their key. */
const BALANCE = ['account', 'ledger']
const BRAND = ['brands', 'campaigns', 'deliveries']
const CAMPAIGN = ['campaigns', 'limits', 'deliveries']
const NUMBER = ['numbers', 'campaigns', 'deliveries']
const PURCHASE = [...NUMBER, ...BALANCE, 'number-search']
const WEBHOOK = ['webhooks', 'deliveries', 'limits']
const DELIVERY = ['deliveries', 'messages']
const MESSAGE = ['messages', 'conversations', 'stats', 'handset', 'deliveries']
const INBOX = ['inbox', 'deliveries']
const SAVED_REPLY = ['saved-replies']
const ALERT = ['alerts', 'deliveries']
const OPTOUT = ['optouts', 'conversations', 'messages', 'stats', 'deliveries']

/** Which queries a live event affects. If one that webhooks get is missing here, this does not compile. */
export const EVENTS: Readonly<Record<string, readonly string[]>> = {
  'message.incoming': [...MESSAGE, 'optouts', 'limits'],
  'message.status': [...MESSAGE, 'limits'], // and 'inbox' if it answers someone: use-inbox-live.ts
  'recipient.optout': OPTOUT,
  'brand.changed': BRAND,
  'campaign.changed': CAMPAIGN,
  'number.changed': NUMBER,
  'conversation.changed': INBOX,
  'alert.raised': ALERT,
  'alert.cleared': ALERT,
  'webhook.changed': WEBHOOK,
  'balance.changed': BALANCE,
} satisfies Record<
  CreateWebhookBody['eventTypes'][number] | 'webhook.changed' | 'balance.changed',
  readonly string[]
>

/** Queries of the operator pages. Every action there is in the audit log. */
const operator = (...names: string[]) => [...names, 'audit'].map((name) => `operator/${name}`)
const ACCOUNT = operator('account', 'accounts')
const REVIEW = operator('reviews', 'brand', 'campaign', 'account-records')
const TOKEN = operator('account-tokens', 'tokens')
const CARRIER = operator('carriers', 'health')
const STOCK = operator('stock')
const USER = operator('users')

const CHANGES = {
  'PATCH /v1/account': ['account'],
  'PUT /v1/alert/settings': ['alerts'],
  'POST /v1/token/create': ['tokens'],
  'DELETE /v1/token/{id}': ['tokens'],
  'POST /v1/account/twilio': ['tokens'],
  'DELETE /v1/account/twilio': ['tokens'],
  'POST /v1/brand/create': BRAND,
  'POST /v1/brand/draft': BRAND,
  'PATCH /v1/brand/{id}': BRAND,
  'POST /v1/brand/{id}/submit': BRAND,
  'POST /v1/export/create': ['exports'],
  'DELETE /v1/export/{id}': ['exports'],
  'POST /v1/campaign/check': [],
  'POST /v1/campaign/create': [...CAMPAIGN, ...BALANCE],
  'POST /v1/campaign/draft': CAMPAIGN,
  'PATCH /v1/campaign/{id}': CAMPAIGN,
  'POST /v1/campaign/{id}/submit': [...CAMPAIGN, ...BALANCE],
  'POST /v1/campaign/{id}/end': [...CAMPAIGN, ...PURCHASE, ...MESSAGE, ...WEBHOOK],
  'POST /v1/campaign/{id}/number/buy': PURCHASE,
  'POST /v1/number/buy': PURCHASE,
  'PATCH /v1/number/{number}/forwarding': NUMBER,
  'POST /v1/number/{number}/default': NUMBER,
  'DELETE /v1/number/{number}': PURCHASE,
  'PUT /v1/campaign/{id}/optouts/{number}': OPTOUT,
  'DELETE /v1/campaign/{id}/optouts/{number}': OPTOUT,
  'PATCH /v1/campaign/{id}/conversations/{number}': INBOX,
  'POST /v1/campaign/{id}/conversations/{number}/notes': INBOX,
  'DELETE /v1/campaign/{id}/conversations/{number}/notes/{noteId}': INBOX,
  'PUT /v1/contact/{number}': INBOX,
  'DELETE /v1/contact/{number}': INBOX,
  'POST /v1/saved-reply/create': SAVED_REPLY,
  'PATCH /v1/saved-reply/{id}': SAVED_REPLY,
  'DELETE /v1/saved-reply/{id}': SAVED_REPLY,
  'POST /v1/media': ['limits'],
  'POST /v1/message/send': [...MESSAGE, ...BALANCE, 'limits', 'optouts', 'inbox'],
  'POST /v1/message/batch': [], // block after block: the live stream follows it
  'POST /v1/message/preview': [],
  'POST /v1/message/batch/preview': [],
  'DELETE /v1/message/{id}': [...MESSAGE, ...BALANCE, 'limits'],
  'POST /v1/campaign/{id}/webhooks': WEBHOOK,
  'PATCH /v1/webhook/{id}': WEBHOOK,
  'DELETE /v1/webhook/{id}': WEBHOOK,
  'POST /v1/webhook/{id}/rotate': WEBHOOK,
  'POST /v1/webhook/{id}/test': DELIVERY,
  'POST /v1/webhook/{id}/recover': DELIVERY,
  'POST /v1/webhook/{id}/deliveries/{deliveryId}/replay': DELIVERY,
  'POST /console/session': [],
  'DELETE /console/session': [],
  'POST /console/session/password': [],
  'POST /console/session/code': [],
  'POST /console/session/passkey/start': [],
  'POST /console/session/passkey': [],
  'POST /console/session/account': [],
  'POST /console/invitation/show': [],
  'POST /console/invitation/accept': [],
  'POST /console/people/invitation': ['people'],
  'DELETE /console/people/invitation/{id}': ['people'],
  'PATCH /console/people/{id}': ['people'],
  'DELETE /console/people/{id}': ['people', 'tokens'],
  'PATCH /console/profile': ['profile'],
  'POST /console/profile/password': ['profile'],
  'POST /console/profile/totp/start': [],
  'POST /console/profile/totp': ['profile'],
  'DELETE /console/profile/totp': ['profile'],
  'POST /console/profile/passkey/start': [],
  'POST /console/profile/passkey': ['profile'],
  'DELETE /console/profile/passkey/{id}': ['profile'],
  'DELETE /console/profile/session/{id}': ['profile'],
  'DELETE /console/profile/session': ['profile'],
  'POST /sandbox/inbound': [...MESSAGE, ...BALANCE, 'optouts'],
  'POST /sandbox/call': ['calls', ...BALANCE],
  'POST /sandbox/clock/advance': [], // everything: pages/handset/ClockBar.tsx
  'POST /operator/v1/account/create': ACCOUNT,
  'PATCH /operator/v1/account/{id}': ACCOUNT,
  'PATCH /operator/v1/account/{id}/quotas': ACCOUNT,
  'DELETE /operator/v1/account/{id}': ACCOUNT,
  'PUT /operator/v1/account/{id}/branding': ACCOUNT,
  'POST /operator/v1/account/{id}/suspend': ACCOUNT,
  'POST /operator/v1/account/{id}/resume': ACCOUNT,
  'POST /operator/v1/account/{id}/credit': ACCOUNT,
  'POST /operator/v1/account/{id}/correct': ACCOUNT,
  'POST /operator/v1/account/{id}/token/create': TOKEN,
  'DELETE /operator/v1/account/{id}/token/{token}': TOKEN,
  'POST /operator/v1/token/create': TOKEN,
  'DELETE /operator/v1/token/{id}': TOKEN,
  'POST /operator/v1/user/invitation': USER,
  'PATCH /operator/v1/user/{id}': USER,
  'POST /operator/v1/user/{id}/recover': USER,
  'DELETE /operator/v1/user/{id}': USER,
  'POST /operator/v1/brand/{id}/verify': REVIEW,
  'POST /operator/v1/brand/{id}/refuse': REVIEW,
  'POST /operator/v1/brand/{id}/vet': REVIEW,
  'POST /operator/v1/campaign/{id}/approve': REVIEW,
  'POST /operator/v1/campaign/{id}/return': REVIEW,
  'POST /operator/v1/campaign/{id}/suspend': REVIEW,
  'POST /operator/v1/campaign/{id}/resume': REVIEW,
  'PUT /operator/v1/campaign/{id}/limits': REVIEW,
  'DELETE /operator/v1/campaign/{id}/limits': REVIEW,
  'POST /operator/v1/campaign/{id}/end': REVIEW,
  'POST /operator/v1/number/import': STOCK,
  'POST /operator/v1/number/withdraw': STOCK,
  'POST /operator/v1/number/{number}/forwarding/stop': operator(),
  'POST /operator/v1/number/{number}/forwarding/allow': operator(),
  'POST /operator/v1/webhook/{id}/enable': operator('webhooks-off'),
  'POST /operator/v1/carrier/reload': CARRIER,
  'POST /operator/v1/carrier/add': CARRIER,
  'POST /operator/v1/carrier/{link}/pause': CARRIER,
  'POST /operator/v1/carrier/{link}/resume': CARRIER,
  'POST /operator/v1/price/set': operator('prices'),
} satisfies Partial<Record<keyof Routes, readonly string[]>>

export type ChangingRoute = keyof typeof CHANGES

export function refetchAfter(client: QueryClient, route: ChangingRoute): void {
  refetch(client, CHANGES[route])
}

export function refetch(client: QueryClient, names: readonly string[]): void {
  for (const name of new Set(names)) {
    void client.invalidateQueries({
      queryKey: name.split('/'),
      predicate: (query) => !isAboutNothing(query) && !postpone(query.queryKey),
    })
  }
}

/** A record that does not exist will not appear because another one changed, so it is not requested again. */
function isAboutNothing({ state: { error } }: Query): boolean {
  return error !== null && 'code' in error && String(error.code).endsWith('_missing')
}

/** After something that can change anything: a break of the live stream, a new session, a jump of the sandbox clock. */
export function refetchAll(client: QueryClient): void {
  void client.invalidateQueries({
    predicate: (query) => query.queryKey[0] !== 'session' && !isAboutNothing(query),
  })
}
