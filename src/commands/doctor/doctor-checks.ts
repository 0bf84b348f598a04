// The checks of `longcode doctor`. Each reports a state and, if something is wrong, the cause and the fix in one
// sentence each.

import { createServer } from 'node:net'
import { listLinkReports } from '../../carriers/link-queries.js'
import { findDeliveryDepth } from '../../events/queue/delivery-depth-queries.js'
import { Clock } from '../../kit/clock.js'
import type { Config } from '../../kit/config.js'
import { findRunningDatabase, hasEmbeddedDatabase } from '../../kit/embedded/running.js'
import type { Database } from '../../kit/postgres/db.js'
import { pendingMigrations } from '../../kit/postgres/migrate.js'
import { findServerTime, IDENTITY_HEADER } from '../../kit/postgres/server-queries.js'
import { listLinkOutages } from '../../messages/dispatch/link-outage-queries.js'
import { type LinkPause, listLinkPauses } from '../../messages/link-pause-queries.js'
import { countBackingOff, findRouteDepths } from '../../messages/queue-depth-queries.js'
import { listRefusedSenders } from '../../numbers/refused-sender-queries.js'
import { linksOf } from '../../operator/oversight/list-carriers.js'
import { plural } from '../../text/plural.js'

export interface Finding {
  check: string
  state: 'ok' | 'note' | 'FAIL'
  /** The state, or the cause of the problem. */
  text: string
  remedy: string | null
}

const CLOCK_OFF_MS_MAX = 60_000
const WAITING_MS_MAX = 5 * 60_000
const ANSWER_MS_MAX = 3_000

export const ok = (check: string, text: string): Finding => ({
  check,
  state: 'ok',
  text,
  remedy: null,
})
export const note = (check: string, text: string, remedy: string): Finding => ({
  check,
  state: 'note',
  text,
  remedy,
})
export const fail = (check: string, text: string, remedy: string): Finding => ({
  check,
  state: 'FAIL',
  text,
  remedy,
})

/** Null if there is a database, or one that can be started for the check. */
export function checkSetUp(config: Readonly<Config>): Finding | null {
  if (config.databaseUrl !== null || findRunningDatabase(config.dataDir)) return null
  if (hasEmbeddedDatabase(config.dataDir)) return null
  return note(
    'database',
    `There is no database in ${config.dataDir} yet.`,
    'Start the service once with `npm start`. Or set DATABASE_URL, or set LONGCODE_DATA to the data folder.',
  )
}

export async function checkMigrations(db: Database): Promise<Finding> {
  const pending = await pendingMigrations(db).catch((error: { code?: string }) => {
    if (error.code === '42P01') return null // no migrations table: none was ever applied
    throw error
  })
  if (pending?.length === 0) return ok('migrations', 'All migrations are applied.')
  const text = pending
    ? `The database is missing migrations: ${pending.join(', ')}.`
    : 'The database is empty.'
  return fail('migrations', text, 'Run `longcode migrate`, or start the service, which runs it.')
}

/** Whether images can be resized here. Everything else works without it. */
export async function checkSharp(
  load: () => Promise<unknown> = () => import('sharp'),
): Promise<Finding> {
  try {
    await load()
    return ok('pictures', 'Image resizing works (sharp is installed).')
  } catch {
    return note(
      'pictures',
      'sharp cannot be loaded. MMS with images that are too large fail with error 1391.',
      'Install it for this machine: run `npm ci` in a clone, or use the container image.',
    )
  }
}

/** Sessions, schedules, and signatures depend on the time. Half of the round trip is subtracted. */
export async function checkClock(db: Database): Promise<Finding> {
  const clock = new Clock()
  const startedMs = clock.now().getTime()
  const theirs = await findServerTime(db)
  const answered = clock.now().getTime()
  const offMs = (startedMs + answered) / 2 - theirs.getTime()
  const seconds = Math.round(Math.abs(offMs) / 1000)
  if (Math.abs(offMs) <= CLOCK_OFF_MS_MAX) {
    return ok('clock', `Within ${Math.max(1, seconds)} s of the database’s clock.`)
  }
  return fail(
    'clock',
    `This machine’s clock is ${seconds} s ${offMs > 0 ? 'ahead of' : 'behind'} the database’s clock.`,
    'Synchronize both with a time server (`timedatectl set-ntp true`, or chrony), then restart the service.',
  )
}

export async function checkQueues(db: Database, now: Date): Promise<Finding[]> {
  const depths = await findRouteDepths(db, now)
  const deliveries = await findDeliveryDepth(db, 'webhook', now)
  const waiting = depths.reduce((sum, depth) => sum + depth.waiting, 0)
  const oldestMs = Math.max(0, ...depths.map((depth) => ageMs(depth.oldestDueAt, now)))
  const backingOff = await countBackingOff(db, now)
  const more = backingOff > 0 ? `; waiting to be retried: ${backingOff}` : ''
  return [
    ...(await checkLinks(db, now)),
    ...(await checkSenders(db)),
    oldestMs > WAITING_MS_MAX
      ? note(
          'queue',
          `${plural(waiting, 'message is', 'messages are')} waiting, the oldest for ${plural(Math.round(oldestMs / 60_000), 'minute')}${more}.`,
          'Check that a node with the dispatch role is running, and check the limits of the campaigns.',
        )
      : ok('queue', `${plural(waiting, 'message is', 'messages are')} waiting${more}.`),
    deliveries.disabledSubscriptions > 0
      ? note(
          'webhooks',
          `${plural(deliveries.disabledSubscriptions, 'webhook is', 'webhooks are')} disabled.`,
          'List them with `longcode webhook list --operator`.',
        )
      : ok(
          'webhooks',
          `All webhooks are enabled. ${plural(deliveries.waiting, 'delivery is', 'deliveries are')} waiting.`,
        ),
  ]
}

/** What dispatchers report, on any node: per link, or for all of them together. */
async function checkLinks(db: Database, now: Date): Promise<Finding[]> {
  const links = linksOf(await listLinkReports(db, new Clock().machineNow()))
  const down = links.filter(({ state }) => state !== 'up')
  const paused = (await listLinkPauses(db)).map(pauseFinding)
  if (down.length > 0) {
    return [...paused, ...down.map((link) => linkFinding(link, down.length < links.length))]
  }
  const [lost] = await listLinkOutages(db, now)
  if (!lost || paused.length > 0) return paused
  return [
    fail(
      'link',
      `The carrier link (${lost.carrier}) has been down since ${lost.downSince.toISOString()}. Messages wait until they expire.`,
      'See the log of the nodes with the dispatch role. When the link is back, waiting messages are sent automatically.',
    ),
  ]
}

const SENDERS_SHOWN = 5

async function checkSenders(db: Database): Promise<Finding[]> {
  const refused = await listRefusedSenders(db, SENDERS_SHOWN)
  return refused.map(({ phoneNumber, link, reason, since }) =>
    note(
      'sender',
      `The carrier of link ${link} has refused messages from ${phoneNumber} since ${since.toISOString()}: ${reason}.`,
      `Fix the number at the carrier. The next message shows whether it works, or run \`longcode number clear-refusal ${phoneNumber}\`.`,
    ),
  )
}

function pauseFinding({ link, pausedAt, pausedBy, reason, code }: LinkPause): Finding {
  return (code === null ? note : fail)(
    'link',
    `The carrier link ${link} has been paused since ${pausedAt.toISOString()} by ${pausedBy}: ${reason}.`,
    code === null
      ? `Resume it with \`longcode carrier resume ${link}\`.`
      : `Fix what the carrier refuses. The link resumes when a probe is accepted, or with \`longcode carrier resume ${link}\`.`,
  )
}

/** Only a note if another link is up, because routes may use that one. */
function linkFinding(
  { link, state, since, detail }: ReturnType<typeof linksOf>[number],
  hasOthers: boolean,
): Finding {
  const whose = state === 'partly' ? ' for some processes' : ''
  const why = detail === null ? '' : ` (${detail})`
  return (state === 'partly' || hasOthers ? note : fail)(
    'link',
    `The carrier link ${link} has been down since ${since}${whose}${why}.`,
    '`longcode carrier status` shows its connections. When the link is back, waiting messages are sent automatically.',
  )
}

function ageMs(since: Date | null, now: Date): number {
  return since === null ? 0 : now.getTime() - since.getTime()
}

export interface ServiceFindings {
  findings: Finding[]
  isRunning: boolean
}

/** What `/readyz` would report for a working link, used if no service is running. */
const STATE_BY_LINK: Record<Config['carrier'], string> = {
  none: 'none',
  simulator: 'simulated',
  links: 'unknown',
}

/** Whether the service is running and ready; if it is not running, whether its port is free. */
export async function checkService(
  url: string,
  { host, port, carrier, mode }: Pick<Config, 'host' | 'port' | 'carrier' | 'mode'>,
  identity: string | null,
): Promise<ServiceFindings> {
  const ready = await readReady(url)
  const isOther = ready !== null && ready.identity !== null && ready.identity !== identity
  if (ready && !isOther) return { findings: runningFindings(url, ready, mode), isRunning: true }
  const service = isOther ? otherService(url, identity !== null) : await checkPort(host, port)
  const link = carrierFinding(STATE_BY_LINK[carrier], mode)
  return { findings: [service, link], isRunning: false }
}

function otherService(url: string, isReachable: boolean): Finding {
  return note(
    'service',
    isReachable
      ? `The service at ${url} uses another database. It is not the service of this one.`
      : `A service runs at ${url}. Whether it uses this database is unknown, because this command cannot reach it.`,
    'To check the service of this database, set PORT or LONGCODE_URL to its address. To check the other database, use its settings.',
  )
}

function carrierFinding(state: string, mode: Config['mode']): Finding {
  if (state === 'none') {
    return fail(
      'carrier',
      'No carrier link is set up. Every send is refused with 503, and nothing is charged.',
      'Set LONGCODE_CARRIERS to your carriers file. docs/carriers.md explains how, from the contract to the first message.',
    )
  }
  if (state === 'down') {
    return fail(
      'carrier',
      'The carrier link is down. Messages are accepted and wait until they expire.',
      'See the log of the nodes with the dispatch role. When the link is back, waiting messages are sent automatically.',
    )
  }
  if (state === 'unknown') {
    return ok(
      'carrier',
      'Links are set up. Their state is known only while the service is running.',
    )
  }
  if (state !== 'simulated') return ok('carrier', 'The carrier link is up.')
  if (mode === 'sandbox') return ok('carrier', 'Simulated, as always in the sandbox.')
  return note(
    'carrier',
    'Simulated: messages are reported as delivered, but nothing reaches a phone.',
    'To send real messages, remove LONGCODE_CARRIER=simulator and LONGCODE_ALLOW_SIMULATED_DELIVERIES from the settings.',
  )
}

interface Ready {
  status: number
  /** Null if the service cannot reach its database, or is older than 0.2.0. */
  identity: string | null
  error?: string
  parts?: { carrier?: string }
}

function runningFindings(url: string, ready: Ready, mode: Config['mode']): Finding[] {
  if (ready.status !== 200) {
    return [
      fail(
        'service',
        `The service at ${url} is running but not ready: ${ready.error}.`,
        'See its log.',
      ),
    ]
  }
  const service = ok('service', `Running and ready at ${url}.`)
  return [service, carrierFinding(ready.parts?.carrier ?? 'ok', mode)]
}

/** Null if no Longcode service answers there. */
async function readReady(url: string): Promise<Ready | null> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) })
    const body = (await response.json()) as Ready
    const isOurs = response.headers.get('x-request-id')?.startsWith('req_') === true
    if (!isOurs) return null
    return { ...body, status: response.status, identity: response.headers.get(IDENTITY_HEADER) }
  } catch {
    return null
  }
}

async function checkPort(host: string, port: number): Promise<Finding> {
  const code = await tryListen(host, port)
  if (code === null) {
    return note('service', `Not running. Port ${port} is free.`, 'Start it with `longcode serve`.')
  }
  if (code === 'EADDRINUSE') {
    return fail(
      'port',
      `Port ${port} is in use by another program.`,
      `Set PORT to another port, for example ${port + 1}, or stop that program (find it with \`ss -ltnp 'sport = :${port}'\`).`,
    )
  }
  const remedy =
    code === 'EACCES'
      ? 'Ports below 1024 require root. Set PORT to a higher port.'
      : 'Set HOST to an address of this machine, such as 127.0.0.1 or 0.0.0.0.'
  return fail('port', `The service cannot listen on ${host}:${port} (${code}).`, remedy)
}

/** The error code, or null if it can listen. */
function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port }, () => server.close(() => resolve(null)))
  })
}
