// The balance at the end of each day, with money in and out: enough for a chart, without every entry.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { DAY_MS } from '../../kit/clock.js'
import { Day, type Days, dayOf, readDays } from '../../kit/contract/days.js'
import { operation } from '../../kit/contract/operation.js'
import { Noun } from '../../kit/contract/schema.js'
import { toDollars } from '../../kit/money.js'
import type { World } from '../../kit/world.js'
import { entryFloor, listPositions, type Position } from '../entry-queries.js'

const DAYS_MAX = 92
const DAYS_USUAL = 30

const DayBalance = Noun('DayBalance', {
  date: Type.String({ format: 'date' }),
  balance: Type.Number({ description: 'dollars at the end of the day, or now for today' }),
  spent: Type.Number({ description: 'dollars, minus refunds on that day' }),
  added: Type.Number({ description: 'dollars of credits and corrections. Negative if deducted' }),
})

const LIST = operation({
  id: 'listBalances',
  databaseClass: 'report',
  tag: 'Account',
  summary: 'List the balance at the end of each day',
  description: `Days are UTC, oldest first, at most ${DAYS_MAX}. Each balance is that of the previous day, minus \`spent\`, plus \`added\`.`,
  isExtension: true,
  scope: 'billing',
  query: Type.Object({
    from: Day(`The first day. Default: ${DAYS_USUAL} days with \`to\``),
    to: Day('The last day. Default: today'),
  }),
  reply: Type.Object({ days: Type.Array(DayBalance) }),
  example: { days: [{ date: '2026-11-15', balance: 79.9921, spent: 20.0079, added: 100 }] },
  failure: { days: [] },
})

export const balanceRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/account/balances', LIST, async ({ caller, query }) => {
    const days = readDays(query, {
      now: clock.now(),
      daysMax: DAYS_MAX,
      firstOf: (to) => new Date(to.getTime() - (DAYS_USUAL - 1) * DAY_MS),
    })
    const ends = endsOf(days)
    const positions = await listPositions(db, caller.accountId, ends.map(entryFloor))
    return { days: ends.slice(1).map((end, i) => wireDay(end, positions[i]!, positions[i + 1]!)) }
  })
}

/** The start of the first day, and the end of each day. */
function endsOf({ from, to }: Days): Date[] {
  const count = (to.getTime() - from.getTime()) / DAY_MS + 2
  return Array.from({ length: count }, (_, i) => new Date(from.getTime() + i * DAY_MS))
}

function wireDay(end: Date, before: Position, after: Position) {
  const spentMicros = after.spentMicros - before.spentMicros
  return {
    date: dayOf(new Date(end.getTime() - DAY_MS)),
    balance: toDollars(after.walletMicros),
    spent: toDollars(spentMicros),
    added: toDollars(after.walletMicros - before.walletMicros + spentMicros),
  }
}
