// Chooses the links for a message, best first. Routes are checked in order. The first match with a link that hosts
// the sender wins. A route that names the campaign wins even without one. When links share traffic, a recipient
// stays with one of them: the choice is a hash of recipient and link (weighted rendezvous), so losing or adding a
// link moves only its own share of recipients.

import type { Network, RoutedMessage } from '../../messages/carrier-port.js'
import type { RouteSettings } from '../settings/carrier-settings.js'

/** Whether a link hosts the sender of a message. */
export type IsHost = (link: string) => boolean

export class RouteTable {
  readonly #routes: readonly CarrierRoute[]

  constructor(routes: readonly RouteSettings[]) {
    this.#routes = routes.map((settings) => new CarrierRoute(settings))
  }

  /** Null: no route matches. The network is looked up only if a route depends on it. */
  routeOf(
    message: RoutedMessage,
    networkOf: (to: string) => Network | null,
    isHost: IsHost,
  ): CarrierRoute | null {
    let network: Network | 'other' | null = null
    const lazily = () => {
      network ??= networkOf(message.to) ?? 'other'
      return network
    }
    const decides = (route: CarrierRoute) => route.fits(message, lazily) && route.decides(isHost)
    return this.#routes.find(decides) ?? null
  }
}

export class CarrierRoute {
  readonly #settings: RouteSettings
  readonly #campaigns: ReadonlySet<string> | null

  constructor(settings: RouteSettings) {
    this.#settings = settings
    this.#campaigns = settings.campaigns && new Set(settings.campaigns)
  }

  get triesNext(): boolean {
    return this.#settings.onSlowDown === 'next'
  }

  fits({ to, campaignId, type }: RoutedMessage, network: () => Network | 'other'): boolean {
    const { prefixes, types, networks } = this.#settings
    if (this.#campaigns && !this.#campaigns.has(campaignId)) return false
    if (types && !types.includes(type)) return false
    if (prefixes && !prefixes.some((prefix) => to.startsWith(prefix))) return false
    return networks === null || networks.includes(network())
  }

  /** For a matching route. */
  decides(isHost: IsHost): boolean {
    const { links, failover } = this.#settings
    return (
      this.#campaigns !== null || links.some(({ link }) => isHost(link)) || failover.some(isHost)
    )
  }

  /** The links that share the traffic, the recipient's own first, then failover links. Only hosts of the sender. */
  linksFor(to: string, isHost: IsHost): string[] {
    return this.#rank(to).filter(isHost)
  }

  #rank(to: string): string[] {
    const { links, failover } = this.#settings
    if (links.length === 1) return [links[0]!.link, ...failover]
    const ranked = links
      .map(({ link, share }) => ({ link, score: -share / Math.log(chanceOf(link, to)) }))
      .sort((a, b) => b.score - a.score)
    return [...ranked.map(({ link }) => link), ...failover]
  }
}

/** Between 0 and 1 (exclusive), the same for the same pair in every process. */
function chanceOf(link: string, to: string): number {
  let hash = 0x811c9dc5 // FNV-1a, then mixed: neighbouring numbers must not share a fate
  const key = `${link}\0${to}`
  for (let i = 0; i < key.length; i += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (((hash ^ (hash >>> 16)) >>> 0) + 0.5) / 2 ** 32
}
