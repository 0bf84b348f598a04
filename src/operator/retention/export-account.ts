// Exports an account's data as JSON lines (NDJSON), in the API's format. `record` names the type of each line. Webhook
// secrets and token hashes are not exported.

import type { AccountId } from '../../accounts/account.js'
import { getAccount } from '../../accounts/account-queries.js'
import { listAudit } from '../../accounts/audit-queries.js'
import { listTokens } from '../../accounts/token-queries.js'
import { wireToken } from '../../accounts/token-wire.js'
import { listBrandQueue } from '../../brands/brand-queries.js'
import { BRAND_STATUSES } from '../../brands/brand-state.js'
import { wireBrand } from '../../brands/brand-wire.js'
import { listCampaignQueue } from '../../campaigns/campaign-queries.js'
import { CAMPAIGN_STATUSES } from '../../campaigns/campaign-state.js'
import { wireCampaign } from '../../campaigns/campaign-wire.js'
import type { Page } from '../../kit/contract/schema.js'
import { toDollars } from '../../kit/money.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { listEntries } from '../../ledger/entry-queries.js'
import { listMedia } from '../../messages/media-queries.js'
import { listMessagesAfter } from '../../messages/message-queries.js'
import { wireMessage } from '../../messages/message-wire.js'
import { listNumbersAfter } from '../../numbers/number-queries.js'
import { wireListedNumber } from '../../numbers/number-wire.js'
import { listOptouts } from '../../optouts/optout-queries.js'
import { listCalls } from '../../voice/call-queries.js'
import { wireDay } from '../../voice/call-routes.js'
import { searchCalls } from '../../voice/records/call-record-queries.js'
import { wireCall } from '../../voice/records/call-record-wire.js'
import { listWebhooks } from '../../webhooks/webhook-queries.js'
import { wireAuditEntry, wireOperatedAccount } from '../accounts/account-wire.js'
import { withBalances } from '../accounts/manage-accounts.js'
import { wireSilentWebhook } from '../oversight/enable-webhook.js'

const PORTION = 500

export interface ExportedRecord {
  record: string
  [field: string]: unknown
}

/** In batches: an account can have more messages than fit in memory. */
export async function* exportAccount(
  db: Queryable,
  accountId: AccountId,
  { withMedia, portion = PORTION }: { withMedia: boolean; portion?: number },
): AsyncGenerator<ExportedRecord> {
  const pages = pagesOf(portion)
  const [account] = await withBalances(db, [await getAccount(db, accountId)])
  yield { record: 'account', ...wireOperatedAccount(account!) }
  yield* typed(
    'token',
    pages((page) => listTokens(db, accountId, page), idOf, wireToken),
  )
  for (const status of BRAND_STATUSES) {
    const list = (page: Page) => listBrandQueue(db, { status, accountId }, page)
    yield* typed('brand', pages(list, idOf, wireBrand))
  }
  yield* exportCampaigns(db, accountId, pages)
  const listOwnNumbers = (page: Page) =>
    listNumbersAfter(db, accountId, page.after ?? '', page.limit + 1)
  yield* typed(
    'number',
    pages(listOwnNumbers, (n) => n.phoneNumber, wireListedNumber),
  )
  const listOwnCalls = (page: Page) => listCalls(db, accountId, page)
  yield* typed(
    'numberCalls',
    pages(listOwnCalls, (c) => `${c.phoneNumber} ${c.day}`, wireDay),
  )
  const ofAccount = { accountId, phoneNumber: null, trunk: null, callId: null }
  const listOwnRecords = (page: Page) =>
    searchCalls(db, { ...ofAccount, since: null, until: null }, page)
  yield* typed('call', pages(listOwnRecords, idOf, wireCall))
  const listOwnWebhooks = (page: Page) => listWebhooks(db, accountId, page)
  yield* typed('webhook', pages(listOwnWebhooks, idOf, wireSilentWebhook))
  yield* exportMessages(db, accountId, { pages, withMedia })
  yield* exportRecords(db, accountId, pages)
}

async function* exportCampaigns(
  db: Queryable,
  accountId: AccountId,
  pages: Pages,
): AsyncGenerator<ExportedRecord> {
  for (const status of CAMPAIGN_STATUSES) {
    const list = (page: Page) => listCampaignQueue(db, { status, accountId }, page)
    for await (const campaign of pages(list, idOf, wireCampaign)) {
      yield { record: 'campaign', ...campaign }
      const listOwn = (page: Page) => listOptouts(db, accountId, campaign.id, page)
      yield* typed(
        'optout',
        pages(
          listOwn,
          (o) => o.recipient,
          (o) => ({ ...o }),
        ),
      )
    }
  }
}

async function* exportMessages(
  db: Queryable,
  accountId: AccountId,
  { pages, withMedia }: { pages: Pages; withMedia: boolean },
): AsyncGenerator<ExportedRecord> {
  const list = (page: Page) => listMessagesAfter(db, accountId, page.after ?? '', page.limit + 1)
  for await (const message of pages(list, idOf, wireMessage)) {
    yield { record: 'message', ...message }
    if (!withMedia || message.direction !== 'INBOUND' || message.mediaUrls.length === 0) continue
    for (const { content, ...media } of await listMedia(db, accountId, message.id)) {
      yield { record: 'media', ...media, content: content.toString('base64') }
    }
  }
}

async function* exportRecords(
  db: Queryable,
  accountId: AccountId,
  pages: Pages,
): AsyncGenerator<ExportedRecord> {
  const anyEntry = { reason: null, campaignId: null, since: null, until: null }
  const listOwnEntries = (page: Page) => listEntries(db, accountId, anyEntry, page)
  yield* typed(
    'ledgerEntry',
    pages(listOwnEntries, idOf, ({ amountMicros, balanceAfterMicros, ...entry }) => ({
      ...entry,
      amount: toDollars(amountMicros),
      balanceAfter: toDollars(balanceAfterMicros),
    })),
  )
  const ofAccount = { act: null, actor: null, subject: null, since: null, until: null, accountId }
  const listOwnActs = (page: Page) => listAudit(db, ofAccount, page)
  yield* typed('act', pages(listOwnActs, idOf, wireAuditEntry))
}

function idOf(record: { id: string }): string {
  return record.id
}

type Pages = <Row, Wire extends object>(
  list: (page: Page) => Promise<Row[]>,
  keyOf: (row: Row) => string,
  wire: (row: Row) => Wire,
) => AsyncGenerator<Wire>

/** Reads a list page by page with `after`. */
function pagesOf(portion: number): Pages {
  return async function* pages(list, keyOf, wire) {
    let after: string | null = null
    for (;;) {
      const rows = await list({ limit: portion, skip: 0, after })
      for (const row of rows.slice(0, portion)) yield wire(row)
      if (rows.length <= portion) return
      after = keyOf(rows[portion - 1]!)
    }
  }
}

async function* typed(
  record: string,
  records: AsyncGenerator<object>,
): AsyncGenerator<ExportedRecord> {
  for await (const fields of records) yield { record, ...fields }
}
