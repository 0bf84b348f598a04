// The account's usage by day and campaign. Here and not with the account's other endpoints, because only messages
// know their segments.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { DAY_MS } from '../../kit/clock.js'
import { preferredType } from '../../kit/contract/accept.js'
import { csvLine } from '../../kit/contract/csv.js'
import { Day, dayOf, readDays } from '../../kit/contract/days.js'
import { operation } from '../../kit/contract/operation.js'
import { Noun } from '../../kit/contract/schema.js'
import { plainDollars, toDollars } from '../../kit/money.js'
import type { World } from '../../kit/world.js'
import { sumUsage, type UsageRow } from './usage-queries.js'

// A quarter, with a line for every day and campaign.
const DAYS_MAX = 92

const GET = operation({
  id: 'getUsage',
  databaseClass: 'report',
  tag: 'Account',
  summary: 'List usage and cost by day and campaign',
  description: `Days are UTC. A refunded message costs nothing on the day it was sent. The ledger lists the charge and the refund on their own days. At most ${DAYS_MAX} days. With \`Accept: text/csv\`, the response is a CSV file.`,
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
        messages: Type.Integer({ description: 'Messages sent, including failed ones' }),
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
    const { from, to } = readDays(query, {
      now: clock.now(),
      daysMax: DAYS_MAX,
      firstOf: (last) => new Date(`${dayOf(last).slice(0, 8)}01`),
    })
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

function usageCsv(rows: readonly UsageRow[]): string {
  const lines = rows.map(({ date, campaignId, messages, segments, costMicros }) =>
    csvLine([date, campaignId, messages, segments, { exact: plainDollars(costMicros) }]),
  )
  return csvLine(['date', 'campaignId', 'messages', 'segments', 'cost']) + lines.join('')
}
