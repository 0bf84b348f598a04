// The state of carrier links for probes. A process that dispatches knows its own links. Other processes use
// the reports of those. It responds quickly and shows only link names, because anyone can ask.

import { listLinkReports } from '../../carriers/link-queries.js'
import { within } from '../../kit/within.js'
import type { World } from '../../kit/world.js'
import type { Carrier } from '../../messages/carrier-port.js'
import { linksOf } from '../../operator/oversight/list-carriers.js'
import { keepFor } from './keep-for.js'

const KEPT_MS = 3_000
const ANSWER_MS_MAX = 100

export type Link = Pick<Carrier, 'name' | 'isUp' | 'isAbsent' | 'isSimulated' | 'links'>

export type LinkState = 'ok' | 'down' | 'none' | 'simulated'

interface LinkView {
  state: LinkState
  /** The links that are down, for all or some processes. */
  down: { link: string; since: string; isPartly: boolean }[]
}

/** For all links together: one that is up is enough. */
export function linkState({ isAbsent, isSimulated, isUp }: Link): LinkState {
  if (isAbsent) return 'none'
  if (isUp?.() === false) return 'down'
  return isSimulated ? 'simulated' : 'ok'
}

/** Never rejects. */
export function createLinkView(world: World, carrier: Link): () => Promise<LinkView> {
  const { db, clock, config } = world
  if (config.roles.includes('dispatch')) return async () => ownView(carrier)
  const read = keepFor(KEPT_MS, async () => {
    const reports = await listLinkReports(db, clock.machineNow()).catch(() => null)
    return reports && linksOf(reports)
  })
  return async () => {
    const links = (await within(ANSWER_MS_MAX, read())) ?? []
    const down = links.filter(({ state }) => state !== 'up')
    const isDown = links.length > 0 && links.every(({ state }) => state === 'down')
    return {
      state: isDown ? 'down' : linkState(carrier),
      down: down.map(({ link, since, state }) => ({ link, since, isPartly: state === 'partly' })),
    }
  }
}

function ownView(carrier: Link): LinkView {
  const down = (carrier.links?.() ?? []).filter(({ isUp }) => !isUp)
  return {
    state: linkState(carrier),
    down: down.map(({ link, since }) => ({ link, since: since.toISOString(), isPartly: false })),
  }
}
