// What alerts need from modules above them: webhooks in trouble, and the state of carrier links.

import type { WatchedLink } from '../../alerts/link-rules.js'
import type { AlertSources } from '../../alerts/watch-alerts.js'
import { listLinkReports } from '../../carriers/link-queries.js'
import type { World } from '../../kit/world.js'
import { listLinkPauses } from '../../messages/link-pause-queries.js'
import {
  listAccountsWithTroubledWebhooks,
  listTroubledWebhooks,
} from '../../webhooks/trouble-queries.js'
import { linksOf } from '../oversight/list-carriers.js'

export const alertSources: AlertSources = {
  listWebhooks: listTroubledWebhooks,
  listAccountsWithWebhooks: listAccountsWithTroubledWebhooks,
  listLinks,
}

async function listLinks({ db, clock }: World): Promise<WatchedLink[]> {
  const reports = await listLinkReports(db, clock.machineNow())
  const pauses = new Map((await listLinkPauses(db)).map((pause) => [pause.link, pause]))
  return linksOf(reports).map(({ link, state, since, detail, counts }) => {
    const pause = pauses.get(link)
    const { DELIVERED: delivered, FAILED: failed } = counts.receipts
    const figures = { delivered, failed, minutes: counts.minutes }
    if (!pause) return { link, state, since: new Date(since), detail, ...figures }
    const isAutomatic = pause.code !== null
    return {
      link,
      state: isAutomatic ? 'paused' : 'paused by an operator',
      since: pause.pausedAt,
      detail: isAutomatic ? pause.reason : null,
      ...figures,
    }
  })
}
