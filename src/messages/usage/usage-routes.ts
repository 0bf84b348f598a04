// What the account used, by day and campaign. Here and not with the account's other pages, because
// only messages know their segments.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { preferredType } from '../../kit/contract/accept.js'
import { csvLine } from '../../kit/contract/csv.js'
import { operation } from '../../kit/contract/operation.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import { Noun } from '../../kit/contract/schema.js'
import { plainDollars, toDollars } from '../../kit/money.js'
import type { World } from '../../kit/world.js'
import { sumUsage, type UsageRow } from './usage-queries.js'

const DAY_MS = 24 * 60 * 60 * 1000
// A quarter: every message of the range is read.
const DAYS_MAX = 92
const DATE_EXPECTS = 'must be a day such as 2026-11-15'

const Day = (description: string) =>
  Type.Optional(
    Type.String({ format: 'date', maxLength: 10, description, 'x-expects': DATE_EXPECTS }),
  )

const GET = operation({
  id: 'getUsage',
  tag: 'Account',
  summary: 'What was sent and what it cost, by day and campaign',
  description: `Days are UTC. A refunded message costs nothing on the day it was sent; the ledger shows charge and refund each on its own day. At most ${DAYS_MAX} days. With \`Accept: text/csv\` the answer is a file.`,
  isExtension: true,
  scope: 'billing',
  query: Type.Object({
    from: Day('The first day. Default: the first of the month of `to`'),
    to: Day('The last day. Default: today'),
  }),
  reply: Type.Object({
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    usage: Type.Array(
      Noun('Usage', {
        date: Type.String({ format: 'date' }),
        campaignId: Type.String(),
        messages: Type.Integer({ description: 'sent, with those that failed' }),
        segments: Type.Integer(),
        cost: Type.Number({ description: 'dollars' }),
      }),
    ),
  }),
  example: {
    from: '2026-11-01',
    to: '2026-11-15',
    usage: [
      {
        date: '2026-11-15',
        campaignId: 'cmp_01km3v9w8m0000pqv3t5x7z9bd',
        messages: 2,
        segments: 3,
        cost: 0.0237,
      },
    ],
  },
  otherForms: ['text/csv'],
  failure: { usage: [] },
})

export const usageRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/account/usage', GET, async ({ caller, query, headers }, reply) => {
    const { from, to } = readRange(query, clock.now())
    const rows = await sumUsage(db, caller.accountId, from, new Date(to.getTime() + DAY_MS))
    if (preferredType(headers.accept, ['application/json', 'text/csv']) === 'text/csv') {
      const name = `usage-${dayOf(from)}-${dayOf(to)}.csv`
      reply.header('content-disposition', `attachment; filename="${name}"`)
      return reply.type('text/csv; charset=utf-8').send(usageCsv(rows) as never)
    }
    const usage = rows.map(({ costMicros, ...row }) => ({ ...row, cost: toDollars(costMicros) }))
    return { from: dayOf(from), to: dayOf(to), usage }
  })
}

function readRange(query: { from?: string; to?: string }, now: Date): { from: Date; to: Date } {
  const to = new Date(query.to ?? dayOf(now))
  const from = new Date(query.from ?? `${dayOf(to).slice(0, 8)}01`)
  if (from > to) throw fieldRefusal('from', 'must not be after to')
  if (to.getTime() - from.getTime() >= DAYS_MAX * DAY_MS) {
    throw fieldRefusal('from', `must be at most ${DAYS_MAX} days before to`)
  }
  // No message is older, and no id can hold such a time.
  if (from.getTime() < 0) throw fieldRefusal('from', DATE_EXPECTS)
  return { from, to }
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map(({ date, campaignId, messages, segments, costMicros }) =>
    csvLine([date, campaignId, messages, segments, { exact: plainDollars(costMicros) }]),
  )
  return csvLine(['date', 'campaignId', 'messages', 'segments', 'cost']) + lines.join('')
}
