// `longcode serve`: reads the settings, starts the service, and stops it in order. If it cannot start, it prints the
// reason in one line.

import { makeLinkCode } from './accounts/session.js'
import { hashToken } from './accounts/token.js'
import { readCarriersOf } from './carriers/settings/read-carriers.js'
import { endSignal, onReloadSignal } from './end-signal.js'
import { holdOutput } from './held-output.js'
import { type Config, readConfig } from './kit/config.js'
import { EmbeddedDatabaseFailure, startEmbeddedDatabase } from './kit/embedded/database.js'
import { logDestination, openLog } from './kit/log.js'
import { type Database, openDatabase } from './kit/postgres/db.js'
import { isRefusedByPooler, POOLER_REMEDY } from './kit/postgres/frame.js'
import { DatabaseOfAnotherVersion, migrate } from './kit/postgres/migrate.js'
import { findServerVersion, SERVER_VERSION_MIN } from './kit/postgres/server-queries.js'
import { describeDatabaseUrl } from './kit/settings/database-url.js'
import { COMMAND, shippedFile } from './kit/settings/installation.js'
import { BadSetting } from './kit/settings/setting-reader.js'
import { describeUnknownSettings } from './kit/settings-file/unknown-settings.js'
import { prepareSandbox } from './sandbox/first-start.js'
import { type Service, startService } from './serve.js'
import { readTrunksOf } from './voice/read-trunks.js'
import type { VoiceRoom } from './voice/voice-room.js'

/** The embedded database accepts 100 connections. The command line needs some, too. */
const EMBEDDED_POOL_MAX = 80
/** Docker and most supervisors wait 10 s after SIGTERM, then kill the process. */
const STOP_MS_MAX = 9_500
const TRUNKS_SHOWN = 3

/** A problem that a person can fix. The message is the one line that is shown. */
class CannotStart extends Error {}

interface RunningDatabase {
  url: string
  stop: () => Promise<void>
}

/** The database at DATABASE_URL, or else the embedded one. */
async function openRunningDatabase(
  config: Readonly<Config>,
  note: (line: string) => void,
): Promise<RunningDatabase> {
  if (config.databaseUrl !== null) {
    await checkReachable(config.databaseUrl, config.databasePooler)
    return { url: config.databaseUrl, stop: async () => {} }
  }
  if (config.databasePoolMax > EMBEDDED_POOL_MAX) {
    throw new CannotStart(
      `LONGCODE_DATABASE_POOL must be at most ${EMBEDDED_POOL_MAX} with the embedded database.`,
    )
  }
  return startEmbeddedDatabase({ dataDir: config.dataDir, note })
}

async function checkReachable(url: string, pooler: Config['databasePooler']): Promise<void> {
  const db = openForStart(url, pooler)
  try {
    const { number } = await findServerVersion(db)
    if (number < SERVER_VERSION_MIN) {
      throw new CannotStart(
        `The PostgreSQL server at DATABASE_URL is version ${Math.floor(number / 10_000)}. Use version 15 or later.`,
      )
    }
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const reason = error instanceof Error ? error.message || error.name : String(error)
    const remedy = isRefusedByPooler(error) ? `. To fix it, ${POOLER_REMEDY}.` : ''
    throw new CannotStart(
      `The database at ${describeDatabaseUrl(url)} cannot be reached: ${reason}${remedy}`,
    )
  } finally {
    await db.end()
  }
}

export async function migrateDatabase(
  url: string,
  pooler: Config['databasePooler'] = 'none',
): Promise<string[]> {
  const db = openForStart(url, pooler)
  try {
    return await migrate(db)
  } finally {
    await db.end()
  }
}

function openForStart(url: string, pooler: Config['databasePooler']): Database {
  return openDatabase({ url, pooler, poolMax: 1, applicationName: 'longcode', onError: () => {} })
}

export async function runServe(): Promise<void> {
  const note = (line: string) => console.log(line)
  const config = readConfig()
  // Report an invalid file before starting a database.
  readCarriersOf(config)
  readTrunksOf(config)
  for (const line of describeUnknownSettings([config.carriersFile, config.trunksFile])) {
    console.warn(`Warning: ${line}`)
  }
  const ended = endSignal(process, () => process.exit(1))
  void ended.then(endInTime)
  // The embedded database must finish starting, so that it can be stopped in order.
  const unlessEnded = config.databaseUrl === null ? <T>(work: T) => work : before(ended)
  const database = await unlessEnded(openRunningDatabase(config, note))
  const output = holdOutput(logDestination())
  const log = openLog(config.logLevel, output)
  try {
    await unlessEnded(migrateDatabase(database.url, config.databasePooler))
    const service = await unlessEnded(startService(config, database.url, log))
    if (config.carriersFile !== null || config.trunksFile !== null) {
      onReloadSignal(process, () => reload(service))
    }
    try {
      const token = config.mode === 'sandbox' ? await prepareSandbox(service.world) : null
      const address = await listen(service, config)
      const hasConsole = token !== null && config.roles.includes('api')
      const code = hasConsole ? await consoleCode(service, token) : null
      const carrier = carrierDescription(config, service)
      const { smppPort, voice } = service
      showWelcome(config, {
        address,
        token,
        code,
        carrier,
        smppPort,
        calls: describeCalls(config, voice),
      })
      output.release()
      await ended
      console.log('\nStopping: finishing requests and messages in progress …')
    } finally {
      endInTime()
      await service.stop()
    }
  } finally {
    output.release()
    await database.stop()
  }
}

/** Each file on its own: if one is invalid, the other is still reloaded. */
async function reload({ world: { config }, reloadTrunks, reloadCarriers }: Service): Promise<void> {
  if (config.trunksFile !== null) reloadTrunks()
  if (config.carriersFile !== null) await reloadCarriers()
}

async function listen({ app }: Service, { host, port }: Readonly<Config>): Promise<string> {
  try {
    const address = await app.listen({ host, port })
    return address
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE') {
      throw new CannotStart(
        `Port ${port} is in use. Set PORT to another port, for example ${port + 1}.`,
      )
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      throw new CannotStart(`Cannot listen on ${host}:${port} (${code}). Check HOST and PORT.`)
    }
    throw error
  }
}

/** Signs in once. It is in the URL fragment, which browsers never send and logs never show. */
function consoleCode({ world: { db, clock } }: Service, token: string): Promise<string> {
  return makeLinkCode(db, clock, hashToken(token))
}

interface Welcome {
  address: string
  token: string | null
  code: string | null
  carrier: string
  smppPort: number | null
  calls: string | null
}

function showWelcome(config: Readonly<Config>, welcome: Welcome): void {
  const { address, token, code, carrier, smppPort, calls } = welcome
  const url = config.host === '0.0.0.0' || config.port === 0 ? address : config.publicUrl
  if (!config.roles.includes('api')) {
    console.log(`
Longcode is ready (${config.mode}).

  Address    ${address} (health and metrics only: LONGCODE_ROLES does not include api)
  Roles      ${config.roles.join(', ')}${token === null ? '' : `\n  Token      ${token}`}
  Carrier    ${carrier}${calls === null ? '' : `\n  Calls      ${calls}`}
`)
    return
  }
  console.log(`
Longcode is ready (${config.mode}).

  Address    ${url}
  Token      ${token ?? TOKEN_HINTS[config.mode]}
  Console    ${url}/console/${code ? `#k=${code}` : ''}
  Docs       ${url}/docs
  Carrier    ${carrier}${smppPort === null ? '' : `\n  SMPP       ${describeSmpp(config, smppPort)}`}${calls === null ? '' : `\n  Calls      ${calls}`}

Try it:
  curl -s ${url}/v1/account -H "Authorization: Bearer ${token ?? '<ACCESS_TOKEN>'}"
`)
}

function describeSmpp({ smppServer }: Readonly<Config>, port: number): string {
  const { host, tls } = smppServer!
  return `${host}:${port}${tls ? ', TLS' : ''}: ${COMMAND} token create --smpp`
}

/** Where calls are answered and forwarded to; null if voice is off. */
function describeCalls(
  { voice: settings }: Readonly<Config>,
  voice: VoiceRoom | null,
): string | null {
  if (settings === null || voice === null) return null
  const { listening, trunks } = voice
  if (listening === null) {
    return `NOT answered: port ${settings.port} is in use. Set LONGCODE_SIP_PORT to another port, or to off.`
  }
  const tls = listening.tlsPort === null ? '' : `, TLS on ${listening.tlsPort}`
  const ways = trunks.map(({ name, contactHost }) => `${name} to ${contactHost}`)
  const more = ways.length > TRUNKS_SHOWN ? ', …' : ''
  return `${settings.host}:${listening.port}, UDP and TCP${tls}: ${ways.slice(0, TRUNKS_SHOWN).join(', ')}${more}`
}

// Production never prints a token: anyone might read the log.
const TOKEN_HINTS: Record<Config['mode'], string> = {
  sandbox: `shown at the first start. To create another: ${COMMAND} token create`,
  production: `each account has its own tokens:
               ${COMMAND} account create "Acme Coffee" --credit 50
               ${COMMAND} token create --account acc_…`,
}

function carrierDescription(
  config: Readonly<Config>,
  service: Pick<Service, 'carrierDescription'>,
): string {
  const { mode, carrier, carriersFile, ignoredCarrier } = config
  switch (carrier) {
    case 'links': {
      const description = `${service.carrierDescription} (${carriersFile})`
      if (ignoredCarrier === null) return description
      return `${description}
               LONGCODE_CARRIER=${ignoredCarrier} is ignored: LONGCODE_CARRIERS takes precedence.`
    }
    case 'none':
      return `NONE: no carrier link is set up. Every send is refused with 503.
                     See ${shippedFile('docs/carriers.md')} to set one up.`
    case 'simulator':
      if (mode === 'sandbox') return 'simulated: nothing reaches a phone'
      return `SIMULATED: messages are reported as delivered, but nothing reaches a phone
               (LONGCODE_CARRIER=simulator, LONGCODE_ALLOW_SIMULATED_DELIVERIES=true).`
  }
}

/** Stops waiting for a start that hangs, for example on the database. */
function before(ended: Promise<void>) {
  const stopped = ended.then(() => {
    throw new CannotStart('Stopped before the service was ready.')
  })
  stopped.catch(() => {}) // most services stop long after the start
  return <T>(work: Promise<T>): Promise<T> => Promise.race([work, stopped])
}

/** Work that hangs must not keep the process from stopping. Nothing durable depends on it. */
function endInTime(): void {
  setTimeout(() => {
    console.error(`Some work did not finish within ${STOP_MS_MAX / 1000} s. Stopping anyway.`)
    process.exit(1)
  }, STOP_MS_MAX).unref()
}

/** One line for a problem that a person can fix; the full stack trace for a bug. */
export function explain(error: unknown): string {
  if (
    error instanceof BadSetting ||
    error instanceof CannotStart ||
    error instanceof DatabaseOfAnotherVersion ||
    error instanceof EmbeddedDatabaseFailure
  ) {
    return error.message
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
