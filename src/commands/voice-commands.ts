// `longcode voice …`: where calls to a number go, call records, and the SIP trunks.

import path from 'node:path'
import type { Command } from 'commander'
import { action, examples, operate, readTimeOption, readWhole } from './command.js'
import { CommandFailure, UsageFailure } from './failure.js'
import type { Output } from './output.js'

export function addVoiceCommands(program: Command): void {
  const voice = program
    .command('voice')
    .description('call forwarding, call records, and SIP trunks')
  voice
    .command('route <number>')
    .description('show where a call to a number goes, or why it is not forwarded')
    .option('--trunk <name>', 'use the number formats of this trunk (default: the first trunk)')
    .option('--diversion <value>', 'Diversion header of the call')
    .addHelpText(
      'after',
      `${examples('voice route +14155550123', 'voice route 4155550123 --trunk acme')}\n\nOnly reads the database. Nothing is called or counted.`,
    )
    .action(action(showRoute))
  for (const [name, done] of [
    ['stop', 'is no longer forwarded and refuses new targets'],
    ['allow', 'can be forwarded again'],
  ] as const) {
    voice
      .command(`${name} <number>`)
      .description(
        name === 'stop'
          ? 'stop forwarding of a number and refuse new targets'
          : 'allow forwarding of a number again',
      )
      .requiredOption('--reason <text>', 'why, for the audit log')
      .addHelpText('after', examples(`voice ${name} +14155550123 --reason "toll fraud"`))
      .action(
        action(async (out, called: string, { reason }: { reason: string }) => {
          const { allowForwarding, stopForwarding } = await import(
            '../numbers/forwarding/stop-forwarding.js'
          )
          const { digitsToE164 } = await import('../text/phone-number.js')
          const request = { phoneNumber: digitsToE164(called), reason }
          const change = name === 'stop' ? stopForwarding : allowForwarding
          const { phoneNumber, accountId } = await operate(out, ({ act }) =>
            act((tx, actor, now) => change(tx, actor, request, now)),
          )
          out.json({ phoneNumber, accountId, isStopped: name === 'stop' })
          out.say(`${phoneNumber} ${done}.`)
        }),
      )
  }
  voice
    .command('calls')
    .description('list call records, newest first')
    .option('--number <number>', 'only calls to this number')
    .option('--account <id>', 'only calls to numbers of this account')
    .option('--trunk <name>', 'only calls from this trunk')
    .option('--call-id <id>', 'only the call with this SIP Call-ID')
    .option('--since <time>', 'at or after this time')
    .option('--until <time>', 'before this time')
    .option('--limit <count>', 'maximum number of rows', '50')
    .addHelpText('after', examples('voice calls --number +14155550123', 'voice calls --trunk acme'))
    .action(action(listCalls))
  voice
    .command('trunks [file]')
    .description('show the SIP trunks, or the errors in their file (default: LONGCODE_TRUNKS)')
    .addHelpText(
      'after',
      `${examples('voice trunks', 'voice trunks trunks.yaml')}\n\nStarts nothing and calls nobody. Exit code 1 if the file cannot be used.`,
    )
    .action(action(showTrunks))
}

interface CallOptions {
  number?: string
  account?: string
  trunk?: string
  callId?: string
  since?: string
  until?: string
  limit: string
}

async function listCalls(out: Output, options: CallOptions): Promise<void> {
  const { searchCalls } = await import('../voice/records/call-record-queries.js')
  const { wireCall } = await import('../voice/records/call-record-wire.js')
  const { isE164, numberProblem } = await import('../text/phone-number.js')
  const { number = null, account, trunk, callId } = options
  if (number !== null && !isE164(number)) {
    throw new UsageFailure(`"${number}" ${numberProblem(number)}.`)
  }
  const page = { limit: readWhole('--limit', options.limit, 1), skip: 0, after: null }
  const filter = {
    accountId: account ?? null,
    phoneNumber: number,
    trunk: trunk ?? null,
    callId: callId ?? null,
    since: readTimeOption('--since', options.since),
    until: readTimeOption('--until', options.until),
  }
  const found = await operate(out, ({ world }) => searchCalls(world.db, filter, page))
  const calls = found.slice(0, page.limit).map(wireCall)
  out.json(calls)
  out.table(calls, ['at', 'phoneNumber', 'outcome', 'trunk', 'callId', 'caller', 'price'])
}

interface RouteOptions {
  trunk?: string
  diversion?: string
}

async function showRoute(out: Output, called: string, options: RouteOptions): Promise<void> {
  const { findRoute } = await import('../operator/oversight/answer-switch.js')
  const { TrunkBook } = await import('../voice/trunk-book.js')
  const route = await operate(out, async ({ world }) => {
    const trunk = new TrunkBook(world.config).get(options.trunk)
    const call = { called, diversion: options.diversion }
    return findRoute(call, trunk, { ...world, forwardings: null })
  })
  out.json(route)
  const { status, number, target, contact, diversion, why } = route
  if (target === null) {
    out.say(`${number ?? called}: ${status}. ${why}`)
    return
  }
  out.say(`${number} goes to ${target} (${status}).`)
  if (contact === null) {
    out.say(
      'No trunk is set up, so calls are not answered. Set LONGCODE_TRUNKS to your trunks file.',
    )
    return
  }
  out.say(`Contact:   ${contact}`)
  out.say(`Diversion: ${diversion}`)
}

async function showTrunks(out: Output, fileOption: string | undefined): Promise<void> {
  const { readTrunkChoice } = await import('../kit/config.js')
  const { BadSettingsFile } = await import('../kit/settings-file/settings-file.js')
  const { readTrunks, readTrunksOf } = await import('../voice/read-trunks.js')
  const choice = readTrunkChoice()
  const file = fileOption === undefined ? choice.trunksFile : path.resolve(fileOption)
  if (file === null && choice.mode === 'production') {
    throw new UsageFailure('Give a file, or set LONGCODE_TRUNKS. See trunks.example.yaml.')
  }
  try {
    const { trunks, warnings } =
      file === null
        ? { trunks: readTrunksOf(choice), warnings: [] }
        : readTrunks({ file, publicUrl: choice.publicUrl })
    out.json({ file, trunks, warnings })
    for (const warning of warnings) out.say(`Note: ${warning}`)
    out.table(trunks.map(trunkRow), [
      'trunk',
      'sources',
      'contact',
      'diversion',
      'called',
      'written',
    ])
    out.say(
      file === null
        ? 'These are the sandbox’s trunks: LONGCODE_TRUNKS is not set.'
        : `${file} is valid.`,
    )
  } catch (error) {
    if (!(error instanceof BadSettingsFile)) throw error
    throw new CommandFailure(error.problems.join('\n'), 'settings')
  }
}

const SOURCES_SHOWN = 4

type Trunk = ReturnType<typeof import('../voice/read-trunks.js').readTrunksOf>[number]

function trunkRow(trunk: Trunk) {
  const { name, sources, contactHost, contactTransport, diversionHost, numberForms } = trunk
  const more = sources.length > SOURCES_SHOWN ? ` +${sources.length - SOURCES_SHOWN}` : ''
  const { called, prefix, written } = numberForms
  return {
    trunk: name,
    sources: `${sources.slice(0, SOURCES_SHOWN).join(' ')}${more}`,
    contact:
      contactTransport === null ? contactHost : `${contactHost};transport=${contactTransport}`,
    diversion: trunk.isDiversionEmbedded ? `${diversionHost} (embedded)` : diversionHost,
    called: `${prefix === '' ? '' : `${prefix} `}${called.join(' ')}`,
    written,
  }
}
