// What a process that dispatches says of its links to everybody else, in the form in which it is kept.

import type { Carrier, LinkStatus } from '../messages/carrier-port.js'
import type { LinkCounts, LinkError, LinkMeter } from './link-meter.js'

/** Times as JSON writes them. */
type Written<T> = T extends Date
  ? string
  : T extends object
    ? { [Name in keyof T]: Written<T[Name]> }
    : T

export type ReportedLink = Written<LinkStatus & { counts: LinkCounts; errors: LinkError[] }>

export interface LinkReport {
  process: string
  links: ReportedLink[]
  loadedAt: Date
  /** The last request to reload that was carried out. */
  reloadId: string | null
  /** What was wrong then. */
  reloadError: string | null
}

export function reportLinks(
  carrier: Pick<Carrier, 'links'>,
  meterOf: (link: string) => LinkMeter,
): ReportedLink[] {
  const links = (carrier.links?.() ?? []).map((status) => {
    const meter = meterOf(status.link)
    return { ...status, counts: meter.counts(), errors: meter.errors() }
  })
  return JSON.parse(JSON.stringify(links))
}
