// The endpoint for the calls of a number.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { DAY_MS } from '../kit/clock.js'
import { dayOf } from '../kit/contract/days.js'
import { Refusal } from '../kit/contract/refusal.js'
import type { World } from '../kit/world.js'
import { getNumber } from '../numbers/number-queries.js'
import { digitsToE164 } from '../text/phone-number.js'
import { CALLS } from './call-operations.js'
import { type DayCalls, findLastDay, listDays } from './call-queries.js'

export const callRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/number/:number/calls', CALLS, async ({ caller: { accountId }, params, query }) => {
    const phoneNumber = digitsToE164(params.number)
    if (phoneNumber === null) throw new Refusal('number_missing')
    const last = await findLastDay(db, accountId, phoneNumber)
    // An account with calls has held the number. It must not learn whether another account holds it now.
    if (last === null) await getNumber(db, accountId, phoneNumber)
    const since = dayOf(new Date(clock.nowMs() - ((query.days ?? 30) - 1) * DAY_MS))
    const days = await listDays(db, accountId, phoneNumber, since)
    return {
      phoneNumber,
      redirected: days.reduce((sum, { redirected }) => sum + redirected, 0),
      refused: days.reduce((sum, { refused }) => sum + refused, 0),
      lastCallAt: last?.lastCallAt.toISOString() ?? null,
      days: days.map(wireDay),
    }
  })
}

export function wireDay<Day extends DayCalls>(day: Day) {
  return { ...day, lastCallAt: day.lastCallAt.toISOString() }
}
