// Alerts over HTTP: open and past ones, and the settings of the account.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { AccountId } from '../accounts/account.js'
import { managesPeople } from '../accounts/role.js'
import { Refusal } from '../kit/contract/refusal.js'
import { cutPage, type Page, pageOf } from '../kit/contract/schema.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { World } from '../kit/world.js'
import { ALERT_KINDS, type AlertSettings } from './alert.js'
import { GET_SETTINGS, LIST_ALERTS, PUT_SETTINGS } from './alert-operations.js'
import {
  type AlertFilter,
  findAlertSettings,
  listAlerts,
  saveAlertSettings,
} from './alert-queries.js'
import { wireAlert } from './alert-wire.js'

export const alertRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/alert/list', LIST_ALERTS, async ({ caller: { accountId }, query }) => {
    const filter = { state: query.state ?? null, kind: query.kind ?? null }
    return readAlerts(db, accountId, filter, pageOf(query))
  })

  app.get('/alert/settings', GET_SETTINGS, async ({ caller: { accountId } }) => ({
    settings: wireSettings(await findAlertSettings(db, accountId)),
  }))

  app.put('/alert/settings', PUT_SETTINGS, async ({ caller, body, once }) => {
    const { accountId, person } = caller
    // Others must not hide problems from those who get the emails.
    if (person && !managesPeople(person.role)) throw new Refusal('role_absent')
    return once(async (tx) => {
      const settings = { ...(await findAlertSettings(tx, accountId)), ...body }
      await saveAlertSettings(tx, accountId, settings, clock.now())
      return { success: true as const, settings: wireSettings(settings) }
    })
  })
}

/** The reply of a list, for customers and operators. */
export async function readAlerts(
  db: Queryable,
  accountId: AccountId,
  filter: AlertFilter,
  page: Page,
) {
  const { mutedKinds } = await findAlertSettings(db, accountId)
  const { rows, hasMore } = cutPage(await listAlerts(db, accountId, filter, page), page)
  const alerts = rows.map((alert) => ({
    ...wireAlert(alert),
    muted: mutedKinds.includes(alert.kind),
  }))
  return { alerts, hasMore }
}

/** In the order of the documentation. */
function wireSettings({ mutedKinds, balanceDays }: AlertSettings) {
  return { mutedKinds: ALERT_KINDS.filter((kind) => mutedKinds.includes(kind)), balanceDays }
}
