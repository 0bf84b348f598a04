// Gauges of each carrier link in this process: up, connections, window, and rate. Its traffic is counted
// where it happens (carriers/metered-carrier.ts).

import type { LinkStatus } from '../../messages/carrier-port.js'
import type { Gauge } from './metrics-text.js'

export function linkGauges(links: readonly LinkStatus[]): Gauge[] {
  return [
    of('link_up', 'Whether the link is up, for this process', links, ({ isUp }) => (isUp ? 1 : 0)),
    of('link_paused', 'Whether the link is paused', links, ({ isPaused }) =>
      isPaused === undefined ? undefined : Number(isPaused),
    ),
    connectionGauge(links),
    of(
      'window_used',
      'Messages submitted and not yet answered',
      links,
      ({ window }) => window?.used,
    ),
    of(
      'window_size',
      'Maximum messages submitted and not yet answered',
      links,
      ({ window }) => window?.size,
    ),
    of('rate', 'Current messages per second of the link', links, ({ rate }) => rate?.perSecond),
    of('rate_contract', 'Messages per second by contract', links, ({ rate }) => rate?.contract),
  ]
}

/** Leaves out links that lack this figure. */
function of(
  name: string,
  help: string,
  links: readonly LinkStatus[],
  measure: (link: LinkStatus) => number | undefined,
): Gauge {
  return {
    name: `longcode_carrier_${name}`,
    help,
    labelNames: ['link'],
    samples: links.flatMap((link) => {
      const value = measure(link)
      return value === undefined ? [] : [{ labels: [link.link], value }]
    }),
  }
}

function connectionGauge(links: readonly LinkStatus[]): Gauge {
  const counts = new Map<string, { labels: string[]; value: number }>()
  for (const { link, connections } of links) {
    for (const { state } of connections) {
      const key = JSON.stringify([link, state])
      const count = counts.get(key) ?? { labels: [link, state], value: 0 }
      counts.set(key, { ...count, value: count.value + 1 })
    }
  }
  return {
    name: 'longcode_carrier_connections',
    help: 'Connections of the link, by state',
    labelNames: ['link', 'state'],
    samples: [...counts.values()],
  }
}
