// The operator's endpoints for alerts.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { INSTALLATION } from '../../accounts/account.js'
import { getAccount } from '../../accounts/account-queries.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { INSTALLATION_ALERT_KINDS } from '../../alerts/alert.js'
import { findAlertSettings, saveAlertSettings } from '../../alerts/alert-queries.js'
import { readAlerts } from '../../alerts/alert-routes.js'
import { pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { actorOf } from '../operator-token.js'
import { GET_SETTINGS, LIST_ALERTS, PUT_SETTINGS } from './alert-operations.js'

export const operatorAlertRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/alert/list', LIST_ALERTS, async ({ query }) => {
    const { account, state, kind } = query
    const accountId =
      account === undefined ? INSTALLATION : (await getAccount(db, account)).accountId
    const filter = { state: state ?? null, kind: kind ?? null }
    return readAlerts(db, accountId, filter, pageOf(query))
  })

  app.get('/alert/settings', GET_SETTINGS, async () => ({
    settings: wireSettings((await findAlertSettings(db, INSTALLATION)).mutedKinds),
  }))

  app.put('/alert/settings', PUT_SETTINGS, (request) =>
    request.once(async (tx) => {
      const { mutedKinds } = request.body
      const before = await findAlertSettings(tx, INSTALLATION)
      const now = clock.now()
      await saveAlertSettings(tx, INSTALLATION, { ...before, mutedKinds }, now)
      const act = { act: 'alert.settings', accountId: null, subject: INSTALLATION } as const
      const change = { before: { mutedKinds: before.mutedKinds }, after: { mutedKinds } }
      await recordAct(tx, actorOf(request), { ...act, ...change }, now)
      return { success: true as const, settings: wireSettings(mutedKinds) }
    }),
  )
}

function wireSettings(mutedKinds: readonly string[]) {
  return { mutedKinds: INSTALLATION_ALERT_KINDS.filter((kind) => mutedKinds.includes(kind)) }
}
