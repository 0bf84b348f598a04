// Several links behind one carrier port: messages are routed, events from all links are collected, and the settings
// can be reloaded while everything runs.

import { hastenRegistration } from '../../brands/registration-queries.js'
import type { Registrars } from '../../campaigns/registration/registrar.js'
import type { World } from '../../kit/world.js'
import type { MediaTerms } from '../../messages/carrier-http.js'
import type {
  Carrier,
  CarrierListener,
  Network,
  Reloaded,
  RoutedMessage,
  Submission,
  SubmitAnswer,
  UnknownPolicy,
} from '../../messages/carrier-port.js'
import type { NumberSources } from '../../numbers/number-source.js'
import { plural } from '../../text/plural.js'
import type { LinkMeters } from '../link-meter.js'
import type { CarrierSettings, LinkSettings } from '../settings/carrier-settings.js'
import type { Simulator } from '../simulator.js'
import type { LinkGates } from './link-gates.js'
import { LinkRoster } from './link-roster.js'
import { NumberHosting, NumberHosts } from './number-hosting.js'
import { NumberLookupCache } from './number-lookup-cache.js'
import { NumberSourcePool, RegistrarPool } from './provider-pools.js'
import { type IsHost, RouteTable } from './route-table.js'
import { RunningLink } from './running-link.js'
import { firstLink, type RouteDeps, sendByRoutes } from './send-by-routes.js'

/** For a link that no longer exists: an unsettled message is not sent again. */
const NO_REPEAT: UnknownPolicy = { waitMs: 120_000, mayRepeat: false }

export interface CarrierSetDeps {
  world: Pick<World, 'db' | 'clock' | 'log' | 'metrics' | 'hints'>
  meters: LinkMeters
  /** Absent: no link can be paused. */
  gates?: LinkGates
  /** For a reload. Throws BadSetting. */
  read: () => CarrierSettings
  /** Whether this process dispatches messages. Only then do links hold connections. */
  isDispatching: boolean
}

export interface CarrierSet extends Carrier, Pick<Simulator, 'resume'> {
  reload: () => Promise<Reloaded>
  /** The links, for people. */
  describe: () => string
  /** How long stored number lookups are valid now. */
  learnedMs: () => number
  /** Where numbers are bought from. */
  numbers: NumberSources
  /** Registers brands and campaigns. */
  registrars: Registrars
}

export function createCarrierSet(deps: CarrierSetDeps, settings: CarrierSettings): CarrierSet {
  const set = new LinkSet(deps, settings)
  return {
    name: 'links',
    // A reload may change it, and with one real link a duplicate is a real duplicate.
    get isSimulated() {
      return set.isSimulated
    },
    networkOf: (to) => set.networkOf(to),
    isLandline: (to) => set.isLandline(to),
    isUp: () => set.isUp(),
    submit: (submissions) => set.submit(submissions),
    prepare: (from) => set.routing.readHosts([from]),
    canSend: (number, campaignId) => set.hosting.canSend(number, campaignId),
    groupOf: (submission) => firstLink(submission, set.routing),
    capacityOf: (group) => set.find(group)?.carrier.capacityOf?.(group) ?? Number.POSITIVE_INFINITY,
    linksFor: (message) => set.linksFor(message),
    afterUnknown: (link) => set.afterUnknown(link),
    query: async (submission, link, acceptedAt) =>
      (link === null
        ? null
        : await set.find(link)?.carrier.query?.(submission, link, acceptedAt)) ?? null,
    receiptsOf: (link, body) => set.find(link)?.carrier.receiptsOf?.(link, body) ?? 1,
    links: () => set.roster.all().flatMap((link) => link.statuses()),
    callback: async (link, request) =>
      (await set.find(link)?.carrier.callback?.(link, request)) ?? null,
    mediaTerms: (message) => set.mediaTerms(message),
    mediaAccess: (link, url) => set.find(link)?.carrier.mediaAccess?.(link, url) ?? null,
    reload: () => set.reload(),
    resume: (submissions) => set.resume(submissions),
    describe: () => set.describe(),
    learnedMs: () => set.settings.networks.learnedMs,
    numbers: set.numbers,
    registrars: set.registrars,
    sellsNumbers: () => set.numbers.sells,
    start: (listener) => set.start(listener),
    stop: () => set.stop(),
  }
}

class LinkSet {
  readonly roster: LinkRoster
  readonly numbers: NumberSourcePool
  hosting: NumberHosting
  readonly registrars = new RegistrarPool()
  readonly routing: RouteDeps
  settings: CarrierSettings
  readonly #deps: CarrierSetDeps
  readonly #networks: NumberLookupCache
  readonly #hosts: NumberHosts
  #routes: RouteTable
  #listener: CarrierListener | null = null

  constructor(deps: CarrierSetDeps, settings: CarrierSettings) {
    this.#deps = deps
    this.settings = settings
    this.#warn()
    this.#networks = new NumberLookupCache(deps.world, this.settings.networks, {
      // Only in processes that dispatch, so a number is not paid for by every process.
      hasLookUps: () => deps.isDispatching && this.#asked() !== undefined,
      lookUp: (number) => this.#lookUp(number),
    })
    this.#routes = new RouteTable(this.settings.routes)
    this.hosting = new NumberHosting(this.settings)
    this.#hosts = new NumberHosts(deps.world)
    this.numbers = new NumberSourcePool(() => this.hosting)
    const { log } = deps.world
    const rosterDeps = {
      log,
      create: (settings: LinkSettings) => this.#create(settings),
      start: (link: RunningLink) => this.#start(link),
    }
    this.roster = new LinkRoster(rosterDeps, this.settings.links)
    this.numbers.follow(this.settings.links)
    this.registrars.follow(this.settings.links)
    this.routing = {
      routeOf: (message, isHost) =>
        this.#routes.routeOf(message, (to) => this.networkOf(to), isHost),
      hostTest: (from) => this.#hostTest(from),
      readHosts: (from) => (this.hosting.isTrivial ? null : this.#hosts.readAll(from)),
      linkOf: (name) => this.roster.find(name),
      onFault: (link, error) => log.error({ err: error, link }, 'carrier link rejected a batch'),
    }
  }

  get isSimulated(): boolean {
    return this.roster.current().every((link) => link.carrier.isSimulated === true)
  }

  find(name: string): RunningLink | null {
    return this.roster.findAny(name)
  }

  #hostTest(from: string): IsHost | null {
    const { hosting } = this
    if (hosting.isTrivial) return () => true
    const number = this.#hosts.peek(from)
    return number === undefined ? null : (link) => hosting.hosts(link, number)
  }

  networkOf(to: string): Network | null {
    const network = this.#networks.networkOf(to)
    if (network !== null) return network
    const [first] = this.roster.current()
    return first?.carrier.isSimulated && this.isSimulated ? first.carrier.networkOf(to) : null
  }

  isLandline(to: string): boolean {
    return this.#networks.isLandline(to)
  }

  /** The link that looks up the type of a phone number. */
  #asked(): RunningLink | undefined {
    return this.roster.current().find(({ carrier }) => carrier.lookUp)
  }

  async #lookUp(number: string): Promise<void> {
    const link = this.#asked()
    const facts = await link?.carrier.lookUp?.(number)
    // A number with any known data is not paid for again.
    if (link && facts) this.#networks.learn(number, { network: null, ...facts }, link.name)
  }

  /** All links of its route, while its host is unknown. */
  linksFor(message: RoutedMessage): string[] {
    const isHost = this.#hostTest(message.from) ?? (() => true)
    return this.routing.routeOf(message, isHost)?.linksFor(message.to, isHost) ?? []
  }

  /**
   * The smallest limits of its route's links, so each can take over for another. All links while the host is
   * unknown.
   */
  mediaTerms(message: RoutedMessage): MediaTerms | null {
    const terms = this.linksFor(message).flatMap(
      (name) => this.find(name)?.carrier.mediaTerms?.(message) ?? [],
    )
    if (terms.length === 0) return null
    return {
      bytesMax: Math.min(...terms.map(({ bytesMax }) => bytesMax)),
      otherBytesMax: Math.min(...terms.map(({ otherBytesMax }) => otherBytesMax)),
    }
  }

  /** A process that does not dispatch has no links that could be down. */
  isUp(): boolean {
    if (!this.#deps.isDispatching) return true
    let isUp = false
    // Every link is checked, so a recovery is never missed.
    for (const link of this.roster.current()) isUp = link.readiness() !== 'down' || isUp
    return isUp
  }

  /** If a process died, it is unknown which link it used, so the most careful setting decides. */
  afterUnknown(link: string | null): UnknownPolicy {
    if (link !== null) return this.find(link)?.carrier.afterUnknown?.(link) ?? NO_REPEAT
    const policies = this.roster
      .current()
      .map(({ name, carrier }) => carrier.afterUnknown?.(name) ?? NO_REPEAT)
    const usecases = policies.flatMap((one) => Object.keys(one.mayRepeatByUsecase ?? {}))
    const mayAll = (name: string) =>
      policies.every((one) => one.mayRepeatByUsecase?.[name] ?? one.mayRepeat)
    return {
      waitMs: Math.max(...policies.map(({ waitMs }) => waitMs)),
      mayRepeat: policies.every(({ mayRepeat }) => mayRepeat),
      ...(usecases.length > 0 && {
        mayRepeatByUsecase: Object.fromEntries(usecases.map((name) => [name, mayAll(name)])),
      }),
    }
  }

  async submit(submissions: readonly Submission[]): Promise<SubmitAnswer[]> {
    const answers = await sendByRoutes(submissions, this.routing)
    answers.forEach((answer, i) => {
      if (answer.kind !== 'sent' || answer.network === undefined) return
      this.#networks.learn(submissions[i]!.to, { network: answer.network }, answer.link!)
    })
    // Messages that wait for their own links must not block others.
    const isElsewhereUp = this.isUp()
    return answers.map((answer) => (answer.kind === 'down' ? { ...answer, isElsewhereUp } : answer))
  }

  async reload(): Promise<Reloaded> {
    const { world, read } = this.#deps
    try {
      const settings = read()
      const changes = this.roster.follow(settings.links)
      this.numbers.follow(settings.links)
      this.registrars.follow(settings.links)
      this.settings = settings
      this.hosting = new NumberHosting(settings)
      this.#routes = new RouteTable(settings.routes)
      this.#networks.follow(settings.networks)
      this.#warn()
      world.log.info({ ...changes, routes: settings.routes.length }, 'carrier settings in force')
      world.hints.notify('messages') // what no route took before may go now
      return { ok: true }
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) }
    }
  }

  /** Any simulator will do: its receipts use our message IDs. */
  resume(submissions: Parameters<Simulator['resume']>[0]): void {
    const carriers = this.roster.current().map(({ carrier }) => carrier as Partial<Simulator>)
    carriers.find(({ resume }) => resume)?.resume?.(submissions)
  }

  describe(): string {
    const { links, routes } = this.settings
    const names = links.map(({ name, kind }) => `${name} (${kind})`).join(', ')
    return `${names}; ${plural(routes.length, 'route')}`
  }

  async start(listener: CarrierListener): Promise<void> {
    this.#listener = listener
    this.#networks.start()
    await this.roster.start()
  }

  async stop(): Promise<void> {
    await this.roster.stop()
    await this.numbers.close()
    await this.registrars.close()
    await this.#networks.drain()
  }

  #warn(): void {
    for (const warning of this.settings.warnings) {
      this.#deps.world.log.warn({ warning }, 'carrier settings')
    }
  }

  #create(settings: LinkSettings): RunningLink {
    const { world, meters, gates } = this.#deps
    const { name } = settings
    return new RunningLink(
      settings,
      meters.meter(settings.create(world), name),
      gates?.of(name) ?? null,
    )
  }

  async #start(link: RunningLink): Promise<void> {
    if (link.settings.isConnected && !this.#deps.isDispatching) return
    await link.start(this.#listenerOf(link))
  }

  /** Whatever a link calls itself, its name in the settings counts. */
  #listenerOf({ name, carrier }: RunningLink): CarrierListener {
    const listener = this.#listener!
    return {
      learned: (number, facts) => this.#networks.learn(number, facts, name),
      registered: async ({ accountId, recordId }) => {
        const { db, clock, hints } = this.#deps.world
        await hastenRegistration(db, { accountId, recordId, link: name }, clock.now())
        hints.notify('reviews')
      },
      senderRefused: (number, carrierCode) =>
        this.#deps.gates?.senders.refuse(name, number, carrierCode ?? 'without a code'),
      receipt: (receipt) => listener.receipt({ ...receipt, link: name }),
      lateAnswer: (late) => {
        const { answer } = late
        if (answer.kind !== 'sent') return listener.lateAnswer(late)
        return listener.lateAnswer({ ...late, answer: { ...answer, link: name } })
      },
      inbound: (inbound) => {
        if (inbound.network !== undefined && !carrier.isSimulated) {
          this.#networks.learn(inbound.from, { network: inbound.network }, name)
        }
        return listener.inbound({ ...inbound, link: name })
      },
    }
  }
}
