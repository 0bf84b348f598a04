// The ledger over HTTP: every movement of the account's money, as pages of JSON or as one CSV file.

import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AccountId } from '../accounts/account.js'
import { preferredType } from '../kit/contract/accept.js'
import { IsoTime, readTime } from '../kit/contract/iso-time.js'
import { operation } from '../kit/contract/operation.js'
import { fieldRefusal } from '../kit/contract/refusal.js'
import {
  HasMore,
  NullableString,
  PAGE_LIMIT_MAX,
  type Page,
  pageOf,
  pageQueryWith,
} from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { type EntryFilter, LEDGER_REACH, searchEntries } from './entry-queries.js'
import {
  ENTRY_CSV_HEAD,
  ENTRY_EXAMPLE,
  EntryShape,
  entryCsv,
  ReasonField,
  wireEntry,
} from './ledger-wire.js'

const LIST = operation({
  id: 'listLedger',
  tag: 'Account',
  summary: 'List ledger entries, newest first',
  description:
    'For the next page, pass `next` of the previous page as `after`, until `hasMore` is false. With `campaign`, a page can have fewer ' +
    `entries than \`limit\`, or none, while more may follow, because it reads ${LEDGER_REACH.toLocaleString('en')} movements at a time. ` +
    'With `Accept: text/csv`, the response is a file. Without `limit`, it has every entry that matches the filters.',
  isExtension: true,
  scope: 'billing',
  query: pageQueryWith({
    reason: Type.Optional(ReasonField),
    campaign: Type.Optional(
      Type.String({
        pattern: '^cmp_[0-9a-hjkmnp-tv-z]{26}$',
        description: 'Only entries of this campaign',
        'x-expects': 'must be the ID of a campaign',
      }),
    ),
    since: Type.Optional(IsoTime('At or after this time')),
    until: Type.Optional(IsoTime('Before this time')),
  }),
  reply: Type.Object({
    entries: Type.Array(EntryShape),
    hasMore: HasMore,
    next: { ...NullableString, description: 'The `after` value for the next page' },
  }),
  example: { entries: [ENTRY_EXAMPLE], hasMore: false, next: null },
  otherForms: ['text/csv'],
  failure: { entries: [] },
})

export const ledgerRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db }) => {
  app.get('/account/ledger', LIST, async ({ caller, query, headers }, reply) => {
    const { after } = query
    if (after !== undefined && !isId('trf', after)) {
      throw fieldRefusal('after', 'must be next of the previous page')
    }
    const filter: EntryFilter = {
      reason: query.reason ?? null,
      campaignId: query.campaign ?? null,
      since: query.since === undefined ? null : readTime('since', query.since),
      until: query.until === undefined ? null : readTime('until', query.until),
    }
    const isCsv = preferredType(headers.accept, ['application/json', 'text/csv']) === 'text/csv'
    const page = pageOf(isCsv ? { limit: PAGE_LIMIT_MAX, ...query } : query)
    const { entries, next } = await searchEntries(db, caller.accountId, filter, page)
    if (!isCsv) return { entries: entries.map(wireEntry), hasMore: next !== null, next }

    const isWhole = query.limit === undefined
    const rest = isWhole ? laterPages(db, caller.accountId, filter, next) : []
    const first = ENTRY_CSV_HEAD + entries.map(entryCsv).join('')
    reply.header('content-disposition', 'attachment; filename="ledger.csv"')
    return reply.type('text/csv; charset=utf-8').send(csvStream(first, rest) as never)
  })
}

// One page at a time: a year of messages must not be in memory at once.
async function* laterPages(
  db: Queryable,
  accountId: AccountId,
  filter: EntryFilter,
  from: string | null,
): AsyncGenerator<string> {
  for (let after = from; after !== null; ) {
    const page: Page = { limit: PAGE_LIMIT_MAX, skip: 0, after }
    const { entries, next } = await searchEntries(db, accountId, filter, page)
    yield entries.map(entryCsv).join('')
    after = next
  }
}

function csvStream(first: string, rest: AsyncIterable<string> | Iterable<string>): Readable {
  return Readable.from(
    (async function* () {
      yield first
      yield* rest
    })(),
  )
}
