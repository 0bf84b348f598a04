// The carrier links for the operator: each link once, with the reports of every dispatching process.

import { listLinkReports } from '../../carriers/link-queries.js'
import type { LinkReport, ReportedLink } from '../../carriers/link-reporter.js'
import type { World } from '../../kit/world.js'
import { listLinkPauses } from '../../messages/link-pause-queries.js'
import { countUnsettled, findRouteDepths } from '../../messages/queue-depth-queries.js'

import { wirePause } from './pause-carrier.js'

const ERRORS_MAX = 10

interface Told {
  process: string
  link: ReportedLink
}

export async function listCarriers({ db, clock }: Pick<World, 'db' | 'clock'>) {
  const reports = await listLinkReports(db, clock.machineNow())
  const depths = await findRouteDepths(db, clock.now())
  const waiting = depths.reduce((sum, depth) => sum + depth.waiting, 0)
  const links = linksOf(reports)
  const unsettled = await countUnsettled(db)
  const pauses = new Map((await listLinkPauses(db)).map((pause) => [pause.link, pause]))
  return {
    waiting,
    unsettled: unsettled.messages,
    // Routes are chosen when a message is sent, so the messages waiting for a link are known only if there is one link.
    links: links.map((link) => {
      const pause = pauses.get(link.link)
      return {
        ...link,
        ...(pause && { state: 'paused' as const }),
        pause: pause ? wirePause(pause) : null,
        waiting: links.length === 1 ? waiting : null,
      }
    }),
    processes: reports.map(({ process, loadedAt, reloadError }) => ({
      process,
      loadedAt: loadedAt.toISOString(),
      reloadError,
    })),
  }
}

/** In the order of the carriers file, if all processes use the same file. */
export function linksOf(reports: readonly LinkReport[]) {
  const byName = new Map<string, Told[]>()
  for (const { process, links } of reports) {
    for (const link of links) {
      byName.set(link.link, [...(byName.get(link.link) ?? []), { process, link }])
    }
  }
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, told]) => wireLink(name, told))
}

function wireLink(name: string, told: readonly Told[]) {
  return {
    link: name,
    kind: told[0]!.link.kind,
    ...standing(told.map(({ link }) => link)),
    counts: sumCounts(told.map(({ link }) => link.counts)),
    errors: mergeErrors(told.flatMap(({ link }) => link.errors)),
    processes: told.map(({ process, link }) => ({
      process,
      isUp: link.isUp,
      since: link.since,
      detail: link.detail,
      connections: [...link.connections],
      window: link.window,
      rate: link.rate,
    })),
  }
}

/** Up if it is up in every process, down if in none, partly otherwise; and since when. */
function standing(links: readonly ReportedLink[]) {
  const down = links.filter(({ isUp }) => !isUp)
  const times = (of: readonly ReportedLink[]) => of.map(({ since }) => since).sort()
  const detail = [...down, ...links].find((link) => link.detail !== null)?.detail ?? null
  if (down.length === 0) return { state: 'up' as const, since: times(links)[0]!, detail }
  if (down.length < links.length) {
    return { state: 'partly' as const, since: times(down)[0]!, detail }
  }
  return { state: 'down' as const, since: times(down).at(-1)!, detail }
}

function sumCounts(counts: readonly ReportedLink['counts'][]): ReportedLink['counts'] {
  const [first, ...others] = counts
  return others.reduce(
    (sum, more) => ({
      minutes: sum.minutes,
      answers: addUp(sum.answers, more.answers),
      receipts: addUp(sum.receipts, more.receipts),
      inbound: sum.inbound + more.inbound,
    }),
    first!,
  )
}

function addUp<Name extends string>(
  sum: Record<Name, number>,
  more: Record<Name, number>,
): Record<Name, number> {
  const names = Object.keys(sum) as Name[]
  return Object.fromEntries(names.map((name) => [name, sum[name] + more[name]])) as Record<
    Name,
    number
  >
}

/** Latest first; the same error in several processes is listed once. */
function mergeErrors(errors: readonly ReportedLink['errors'][number][]) {
  const merged = new Map<string, ReportedLink['errors'][number]>()
  for (const error of errors) {
    const key = JSON.stringify([error.of, error.errorCode, error.carrierCode])
    const earlier = merged.get(key)
    const lastAt = earlier && earlier.lastAt > error.lastAt ? earlier.lastAt : error.lastAt
    merged.set(key, { ...error, count: error.count + (earlier?.count ?? 0), lastAt })
  }
  return [...merged.values()].sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1)).slice(0, ERRORS_MAX)
}
