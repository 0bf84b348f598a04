// `longcode doctor`: checks this installation and explains how to fix problems.

import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { plural } from '../../text/plural.js'
import { action, examples } from '../command.js'
import { CommandFailure } from '../failure.js'
import type { Output } from '../output.js'
import type { Finding } from './doctor-checks.js'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check this installation and explain how to fix problems')
    .option(
      '--ledger',
      'also add up the whole ledger and recount the messages of the last two days (slow)',
    )
    .addHelpText(
      'after',
      `${examples('doctor', 'doctor --json')}\n\nExit code 1 if there is a problem.`,
    )
    .action(action(doctor))
}

async function doctor(out: Output, options: { ledger?: boolean }): Promise<void> {
  const findings = await examine(out, options.ledger === true)
  out.json(findings)
  for (const { check, state, text, remedy } of findings) {
    out.say(`${state.padEnd(4)}  ${check.padEnd(10)}  ${text}`)
    if (remedy !== null) out.say(`${' '.repeat(18)}→ ${remedy}`)
  }
  const failed = findings.filter(({ state }) => state === 'FAIL')
  if (failed.length === 0) {
    out.say('No problems found.')
    return
  }
  const names = failed.map(({ check }) => check).join(', ')
  throw new CommandFailure(`Problems found: ${names}.`, 'unhealthy')
}

async function examine(out: Output, withLedger: boolean): Promise<Finding[]> {
  const { readClientSettings, readConfig } = await import('../../kit/config.js')
  const { BadSetting } = await import('../../kit/settings/setting-reader.js')
  const checks = await import('./doctor-checks.js')
  try {
    const config = readConfig()
    const { describeVersion } = await import('../../kit/settings/installation.js')
    const settings = [
      checks.ok('version', `${describeVersion()}, Node ${process.versions.node}`),
      checks.ok('settings', `Mode ${config.mode}, registry ${config.registry}.`),
    ]
    const { describeUnknownSettings } = await import('../../kit/settings-file/unknown-settings.js')
    const files = [config.carriersFile, config.trunksFile].filter(
      (file) => file && existsSync(file),
    )
    const unknown = describeUnknownSettings(files).map((text) =>
      checks.note('settings', text, 'Correct the name, or remove it.'),
    )
    const carriers = await examineCarriers(config)
    const { findings: database, identity } = await examineDatabase(out, config, withLedger)
    const { url } = readClientSettings()
    const { findings, isRunning } = await checks.checkService(url, config, identity)
    const { examineCalls } = await import('./doctor-calls.js')
    const calls = await examineCalls(config, isRunning ? url : null)
    const pictures = await checks.checkSharp()
    return [...settings, ...unknown, ...carriers, ...database, ...findings, ...calls, pictures]
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error
    return [
      checks.fail(
        'settings',
        error.message,
        'Correct it in the environment, or in the file of settings (LONGCODE_ENV_FILE, else .env).',
      ),
    ]
  }
}

type Config = ReturnType<typeof import('../../kit/config.js').readConfig>

/** The carriers file as the next start or reload would read it. */
async function examineCarriers(config: Config): Promise<Finding[]> {
  if (config.carriersFile === null) return []
  const { fail, note, ok } = await import('./doctor-checks.js')
  const { BadSettingsFile } = await import('../../kit/settings-file/settings-file.js')
  const { readCarriersOf } = await import('../../carriers/settings/read-carriers.js')
  try {
    const { links, routes, warnings } = readCarriersOf(config)!
    const text = `${plural(links.length, 'link')} and ${plural(routes.length, 'route')} in ${config.carriersFile}.`
    const remedy = 'This is only a warning. The service uses the file.'
    return [ok('carriers', text), ...warnings.map((warning) => note('carriers', warning, remedy))]
  } catch (error) {
    if (!(error instanceof BadSettingsFile)) throw error
    const remedy = 'Fix the file, then check it with `longcode carrier check`.'
    return error.problems.map((problem) => fail('carriers', problem, remedy))
  }
}

interface DatabaseFindings {
  findings: Finding[]
  /** To recognize the service that uses it; null if it cannot be reached. */
  identity: string | null
}

async function examineDatabase(
  out: Output,
  config: Config,
  withLedger: boolean,
): Promise<DatabaseFindings> {
  const checks = await import('./doctor-checks.js')
  const { openCommandDatabase } = await import('../operator-world.js')
  const { checkDatabase, checkUnfinished } = await import('./doctor-database.js')
  const missing = checks.checkSetUp(config)
  if (missing) return { findings: [missing], identity: null }
  const { url, db, end } = await openCommandDatabase(config, out.note)
  try {
    const { describeDatabaseUrl } = await import('../../kit/settings/database-url.js')
    const database = await checkDatabase(db, describeDatabaseUrl(url))
    if (database.state === 'FAIL') return { findings: [database], identity: null }
    const { findDatabaseIdentity } = await import('../../kit/postgres/server-queries.js')
    const identity = await findDatabaseIdentity(db)
    const findings = [database]
    for (const look of looksInto(db, config, withLedger)) {
      const found = await look().catch((error: unknown) => [checkUnfinished(error)])
      findings.push(...found)
      if (found.some(({ state, check }) => state === 'FAIL' && check === 'migrations')) break
    }
    return { findings, identity }
  } finally {
    await end()
  }
}

type Database = Awaited<ReturnType<typeof import('../operator-world.js').openCommandDatabase>>['db']

/** Each alone, so one that fails does not hide the others. Without all migrations, the later ones would fail. */
function looksInto(
  db: Database,
  config: Config,
  withLedger: boolean,
): (() => Promise<Finding[]>)[] {
  const checks = () => import('./doctor-checks.js')
  const database = () => import('./doctor-database.js')
  const time = async () => (await import('../operator-world.js')).serviceNow(db, config)
  return [
    async () => (await database()).checkPooler(db, config),
    async () => (await database()).checkWorkers(db),
    async () => [await (await checks()).checkClock(db)],
    async () => [await (await checks()).checkMigrations(db)],
    async () => (await database()).checkPartitions(db, await time()),
    async () => (await database()).checkRetention(db, config, await time()),
    async () => (await import('./doctor-providers.js')).checkProviders(db, await time()),
    async () => (await import('./doctor-numbers.js')).checkNumbers(db, config),
    async () => (await checks()).checkQueues(db, await time()),
    async () => [await (await import('./doctor-unknown.js')).checkUnknown(db, await time())],
    ...(withLedger ? [async () => [await addUp(db), await compareCounters(db, config)]] : []),
  ]
}

/** For the last two days: older hours were checked soon after they ended. */
async function compareCounters(db: Database, config: Config): Promise<Finding> {
  const checks = await import('./doctor-checks.js')
  const { findWrongCounters } = await import('../../messages/usage/wrong-counters.js')
  const { serviceNow } = await import('../operator-world.js')
  const { accounts, counters, first } = await findWrongCounters(
    db.patient,
    await serviceNow(db, config),
  )
  if (counters === 0) {
    const text = `The counters of ${plural(accounts, 'account')} match their messages in the last two days.`
    return checks.ok('counters', text)
  }
  return checks.fail(
    'counters',
    `${plural(counters, 'counter does not match its', 'counters do not match their')} messages, first in ${first}. Statistics and usage are wrong there.`,
    'Stop processes of older versions. The schedule role corrects each hour once, an hour after it ended. If the problem persists, report it.',
  )
}

async function addUp(db: Database): Promise<Finding> {
  const checks = await import('./doctor-checks.js')
  const { findDrift } = await import('../../ledger/ledger-queries.js')
  const drift = await findDrift(db.patient)
  if (drift.length === 0) {
    const whose = db.workers.isOutage ? 'For all reachable accounts, every' : 'Every'
    return checks.ok('ledger', `${whose} balance is the sum of its entries.`)
  }
  return checks.fail(
    'ledger',
    `${plural(drift.length, 'ledger does', 'ledgers do')} not add up, the first is ${drift[0]!.ledger} of ${drift[0]!.accountId}.`,
    'This is a bug. Stop the service, save a database dump, and report it.',
  )
}
