// An operator pauses and resumes a carrier link. It applies in every process within two seconds. A paused link accepts
// no new messages, finishes outstanding ones, and keeps receiving receipts and inbound messages.

import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { listLinkReports } from '../../carriers/link-queries.js'
import { Refusal } from '../../kit/contract/refusal.js'
import type { Transaction } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import {
  deleteLinkPause,
  type LinkPause,
  listLinkPauses,
  saveLinkPause,
} from '../../messages/link-pause-queries.js'

const DEFAULT_REASON = 'Paused by an operator'

export async function pauseCarrier(
  tx: Transaction,
  actor: Actor,
  { link, reason = DEFAULT_REASON }: { link: string; reason?: string | undefined },
  clock: World['clock'],
): Promise<LinkPause> {
  const before = await findPause(tx, link, clock)
  const pausedAt = clock.now()
  const pause = { link, pausedAt, pausedBy: actor.name, reason }
  await saveLinkPause(tx, pause)
  const act = { act: 'carrier.pause', accountId: null, subject: link } as const
  await recordAct(tx, actor, { ...act, before: auditOf(before), after: { reason } }, pausedAt)
  return { ...pause, code: null, probeAt: null, probes: 0 }
}

/** False if it was not paused. */
export async function resumeCarrier(
  tx: Transaction,
  actor: Actor,
  link: string,
  clock: World['clock'],
): Promise<boolean> {
  const before = await findPause(tx, link, clock)
  if (!(await deleteLinkPause(tx, link))) return false
  const act = { act: 'carrier.resume', accountId: null, subject: link, after: null } as const
  await recordAct(tx, actor, { ...act, before: auditOf(before) }, clock.now())
  return true
}

/** Refuses a link that no process knows. */
async function findPause(
  tx: Transaction,
  link: string,
  clock: World['clock'],
): Promise<LinkPause | null> {
  const pause = (await listLinkPauses(tx)).find((one) => one.link === link)
  if (pause) return pause
  const reports = await listLinkReports(tx, clock.machineNow())
  const names = new Set(reports.flatMap(({ links }) => links.map((one) => one.link)))
  if (!names.has(link)) {
    const available =
      names.size === 0 ? 'No process reports any links' : `Links: ${[...names].sort().join(', ')}`
    throw new Refusal('carrier_link_missing', `No carrier link is named ${link}. ${available}.`)
  }
  return null
}

function auditOf(pause: LinkPause | null) {
  return pause && { pausedBy: pause.pausedBy, reason: pause.reason }
}

/** The pause in API responses. */
export function wirePause({ pausedAt, pausedBy, reason, code, probeAt }: LinkPause) {
  return {
    since: pausedAt.toISOString(),
    by: pausedBy,
    reason,
    isAutomatic: code !== null,
    nextProbeAt: probeAt?.toISOString() ?? null,
  }
}
