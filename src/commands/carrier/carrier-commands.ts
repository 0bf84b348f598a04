// `longcode carrier …`: sets up carrier links, shows their status, pauses them, and checks and reloads their settings.

import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { plural } from '../../text/plural.js'
import { action, examples, operate, readWhole } from '../command.js'
import { CommandFailure, UsageFailure } from '../failure.js'
import type { OperatorWorld } from '../operator-world.js'
import type { Output } from '../output.js'
import { addAddCarrierCommand } from './add-carrier-command.js'

const RELOAD_MS_MAX = 30_000

export function addCarrierCommands(program: Command): void {
  const carrier = program.command('carrier').description('carrier links')
  addAddCarrierCommand(carrier)
  carrier
    .command('status')
    .description('show the carrier links in every dispatching process')
    .option('--watch', 'repeat until stopped')
    .option('--every <seconds>', 'interval of --watch', '2')
    .addHelpText('after', examples('carrier status', 'carrier status --watch'))
    .action(action(showStatus))
  carrier
    .command('check [file]')
    .description('check a carriers file (default: LONGCODE_CARRIERS)')
    .addHelpText(
      'after',
      `${examples('carrier check', 'carrier check carriers.yaml')}\n\nStarts nothing and sends nothing. If the database is running, it also lists the numbers that no link in\nthe file can send from. Exit code 1 if the file cannot be used.`,
    )
    .action(action(check))
  carrier
    .command('reload')
    .description('reload the carriers file in every dispatching process')
    .addHelpText(
      'after',
      `${examples('carrier reload')}\n\nExit code 1 if a process could not use it, or none is running.`,
    )
    .action(action(reload))
  addPauseCommands(carrier)
}

function addPauseCommands(carrier: Command): void {
  carrier
    .command('pause <link>')
    .description('stop sending through a link; it keeps receiving')
    .option('--reason <text>', 'reason, for the audit log and the status')
    .addHelpText(
      'after',
      `${examples('carrier pause acme --reason "maintenance until 3 AM"')}\n\nEvery process stops within two seconds. Messages use other links of their route, or wait.`,
    )
    .action(action(pause))
  carrier
    .command('resume <link>')
    .description('resume a paused link, including one that was paused automatically')
    .addHelpText('after', examples('carrier resume acme'))
    .action(action(resume))
}

type Listed = Awaited<
  ReturnType<typeof import('../../operator/oversight/list-carriers.js').listCarriers>
>

async function showStatus(out: Output, options: { watch?: boolean; every: string }): Promise<void> {
  const everyMs = readWhole('--every', options.every, 1) * 1000
  const { listCarriers } = await import('../../operator/oversight/list-carriers.js')
  await operate(out, async ({ world }) => {
    for (;;) {
      const listed = await listCarriers(world)
      if (options.watch && process.stdout.isTTY && !out.isJson)
        process.stdout.write('\x1b[H\x1b[2J')
      out.json(listed)
      show(out, listed)
      if (!options.watch) return
      await sleep(everyMs)
    }
  })
}

function show(out: Output, { links, processes, waiting, unsettled }: Listed): void {
  for (const { process, reloadError } of processes) {
    if (reloadError) out.say(`Not reloaded in ${process}: ${reloadError}`)
  }
  if (processes.length === 0) {
    out.say('No dispatching process has reported in the last 30 seconds.')
    return
  }
  if (links.length === 0) {
    out.say('No carrier link is set up. See docs/carriers.md.')
    return
  }
  const rows = links.flatMap((link) => link.processes.map((of) => statusRow(link, of)))
  const columns = ['link', 'kind', 'state', 'since', 'binds', 'window', 'rate', 'sent', 'failed']
  out.table(rows, [...columns, 'unknown', 'receipts', 'inbound', 'process'])
  for (const { link, state, detail, pause } of links) {
    if (pause !== null)
      out.say(`${link} has been paused since ${pause.since} by ${pause.by}: ${pause.reason}`)
    if (detail !== null) out.say(`${link} is ${STATE_LABELS[state]}: ${detail}`)
  }
  for (const { link, errors } of links) {
    for (const { of, errorCode, carrierCode, count, lastAt } of errors) {
      const code = errorCode ?? 'unknown'
      out.say(
        `${link} ${of} ${code} (${carrierCode ?? 'no carrier code'}) ×${count}, last ${lastAt}`,
      )
    }
  }
  if (unsettled > 0)
    out.say(
      `${plural(unsettled, 'message was', 'messages were')} sent without a response yet. The outcome is unknown.`,
    )
  out.say(
    `${plural(waiting, 'message is', 'messages are')} waiting. Counts cover the last ${links[0]!.counts.minutes} minutes.`,
  )
}

const STATE_LABELS = { up: 'up', partly: 'partly up', down: 'down', paused: 'paused' } as const

function statusRow(
  { link, kind, counts, processes, pause }: Listed['links'][number],
  of: Listed['links'][number]['processes'][number],
) {
  const { window, rate, connections } = of
  const bound = connections.filter(({ state }) => state.startsWith('bound')).length
  // Counts cover all processes, so only the first row shows them.
  const isFirst = processes[0] === of
  const count = (value: number) => (isFirst ? value : '"')
  return {
    link,
    kind,
    state: of.isUp ? (pause ? 'PAUSED' : 'up') : 'DOWN',
    since: of.since,
    binds: connections.length === 0 ? null : `${bound}/${connections.length}`,
    window: window && `${window.used}/${window.size}`,
    rate: rate && `${Math.round(rate.perSecond)}/${rate.contract}/s`,
    sent: count(counts.answers.sent),
    failed: count(counts.answers.failed),
    unknown: count(counts.answers.unknown),
    receipts: count(Object.values(counts.receipts).reduce((sum, one) => sum + one, 0)),
    inbound: count(counts.inbound),
    process: of.process,
  }
}

async function check(out: Output, fileOption: string | undefined): Promise<void> {
  const { readCarrierChoice } = await import('../../kit/config.js')
  const { BadSettingsFile } = await import('../../kit/settings-file/settings-file.js')
  const { readCarriers } = await import('../../carriers/settings/read-carriers.js')
  const { carriersFile, ...choice } = readCarrierChoice()
  const file = fileOption ?? carriersFile
  if (file === null) {
    throw new UsageFailure('Give a file, or set LONGCODE_CARRIERS. See carriers.example.yaml.')
  }
  try {
    const settings = readCarriers({ ...choice, file: path.resolve(file) })
    const { links, routes, warnings } = settings
    const summaries = links.map(({ name, kind }) => ({ name, kind }))
    const { checkNumbers } = await import('./check-numbers.js')
    const { problems, lines } = await checkNumbers(settings, out.note)
    out.json({ links: summaries, routes: routes.map(({ name }) => name), warnings, ...problems })
    for (const warning of warnings) out.say(`Note: ${warning}`)
    for (const line of lines) out.say(`Note: ${line}`)
    const names = summaries.map(({ name, kind }) => `${name} (${kind})`).join(', ')
    out.say(`${file} is valid. Links: ${names}. Routes: ${routes.length}.`)
  } catch (error) {
    if (!(error instanceof BadSettingsFile)) throw error
    throw new CommandFailure(error.problems.join('\n'), 'settings')
  }
}

async function reload(out: Output): Promise<void> {
  const outcomes = await operate(out, askToReload)
  out.json(outcomes)
  for (const { process, outcome, error } of outcomes) {
    out.say(`${process}: ${error ?? (outcome === 'reloaded' ? 'reloaded' : 'no answer')}`)
  }
  if (outcomes.length === 0) {
    throw new CommandFailure(
      'No dispatching process is running. The file is read when one starts.',
      'nobody_dispatches',
    )
  }
  const failed = outcomes.filter(({ outcome }) => outcome !== 'reloaded').length
  if (failed === 0) return
  throw new CommandFailure(
    `${failed} of ${outcomes.length} processes did not reload. They keep their previous settings.`,
    'not_reloaded',
  )
}

async function pause(out: Output, link: string, { reason }: { reason?: string }): Promise<void> {
  const { pauseCarrier, wirePause } = await import('../../operator/oversight/pause-carrier.js')
  await operate(out, async ({ world, act }) => {
    const paused = await act((tx, actor) => pauseCarrier(tx, actor, { link, reason }, world.clock))
    out.json({ link, pause: wirePause(paused) })
    out.say(`${link} is paused. Messages use other links of their route, or wait.`)
  })
}

async function resume(out: Output, link: string): Promise<void> {
  const { resumeCarrier } = await import('../../operator/oversight/pause-carrier.js')
  await operate(out, async ({ world, act }) => {
    const wasPaused = await act((tx, actor) => resumeCarrier(tx, actor, link, world.clock))
    out.json({ link, wasPaused })
    out.say(wasPaused ? `${link} is active again.` : `${link} was not paused.`)
  })
}

async function askToReload({ world, act }: OperatorWorld) {
  const { awaitReload, requestReload } = await import('../../operator/oversight/reload-carriers.js')
  const { id } = await act((tx, actor) => requestReload(tx, actor, world.clock))
  return awaitReload(world, id, RELOAD_MS_MAX)
}
