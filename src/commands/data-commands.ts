// `longcode export` and `longcode redact`: exports the data of an account, and deletes message texts.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Command } from 'commander'
import { plural } from '../text/plural.js'
import { action, chooseAccount, examples, operate, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { OperatorWorld } from './operator-world.js'
import type { Output } from './output.js'

/** Greater than every message id. */
const END_OF_IDS = 'msg~'

export function addDataCommands(program: Command): void {
  program
    .command('export [account]')
    .description('export all data of an account as JSON lines')
    .option('--out <file>', 'output file (default: standard output)')
    .option('--media', 'include received media, as base64')
    .addHelpText(
      'after',
      examples('export acc_01… --out acme.ndjson', 'export | jq -c \'select(.record=="message")\''),
    )
    .action(action(exportData))

  program
    .command('redact')
    .description('delete message texts older than the given number of days')
    .requiredOption('--days <number>', 'age in days')
    .option('--account <id>', 'only this account (default: all)')
    .option('--media', 'also delete their media')
    .addHelpText(
      'after',
      examples('redact --days 90', 'redact --days 30 --account acc_01… --media'),
    )
    .action(action(redact))
}

async function exportData(
  out: Output,
  accountOption: string | undefined,
  options: { out?: string; media?: boolean },
): Promise<void> {
  const { exportAccount } = await import('../operator/retention/export-account.js')
  const { countMessages } = await import('../messages/redact-queries.js')
  const { recordAct } = await import('../accounts/audit-queries.js')
  await operate(out, async (operator) => {
    const { world } = operator
    const accountId = await chooseAccount(operator, accountOption)
    const progress = out.progress('Exporting', await countMessages(world.db, accountId, END_OF_IDS))
    const target = options.out ? await openFile(options.out) : process.stdout
    let messages = 0
    let lines = 0
    const withMedia = options.media === true
    for await (const line of exportAccount(world.db.patient, accountId, { withMedia })) {
      if (!target.write(`${JSON.stringify(line)}\n`)) await once(target, 'drain')
      lines += 1
      if (line.record === 'message') progress.to(++messages)
    }
    if (options.out) await finish(target)
    progress.end()
    const act = { act: 'account.export', accountId, subject: accountId, before: null } as const
    await operator.act((tx, actor, now) => recordAct(tx, actor, { ...act, after: { lines } }, now))
    out.note(`Exported ${plural(lines, 'record')} of ${accountId}.`)
  })
}

async function openFile(file: string): Promise<Writable> {
  const stream = createWriteStream(file, { mode: 0o600 }) // it contains names and phone numbers
  try {
    await once(stream, 'open')
  } catch (error) {
    throw new UsageFailure(`Cannot write ${file}: ${(error as Error).message}`)
  }
  return stream
}

async function finish(target: Writable): Promise<void> {
  target.end()
  await once(target, 'close')
}

async function redact(
  out: Output,
  options: { days: string; account?: string; media?: boolean },
): Promise<void> {
  const days = readWhole('--days', options.days, 1)
  const totals = await operate(out, async (operator) => {
    const sums = { accounts: 0, texts: 0, media: 0 }
    for await (const accountId of accountsOf(operator, options.account)) {
      const redacted = await redactOne(out, operator, accountId, days, options.media === true)
      sums.accounts += 1
      sums.texts += redacted.texts
      sums.media += redacted.media
    }
    return sums
  })
  out.json(totals)
  const media = options.media ? ` and the media of ${totals.media}` : ''
  const [texts, accounts] = [plural(totals.texts, 'message'), plural(totals.accounts, 'account')]
  out.say(`Deleted the texts of ${texts}${media} in ${accounts}.`)
}

async function* accountsOf(
  { world }: OperatorWorld,
  accountOption: string | undefined,
): AsyncGenerator<string> {
  const { getAccount } = await import('../accounts/account-queries.js')
  const { listAccountsAfter } = await import('../ledger/entry-queries.js')
  if (accountOption !== undefined) {
    yield (await getAccount(world.db, accountOption)).accountId
    return
  }
  for (let after = ''; ; ) {
    const page = await listAccountsAfter(world.db, after, 100)
    yield* page
    if (page.length === 0) return
    after = page.at(-1)!
  }
}

async function redactOne(
  out: Output,
  { world, actor }: OperatorWorld,
  accountId: string,
  days: number,
  withMedia: boolean,
): Promise<{ texts: number; media: number }> {
  const { daysBefore, redactMessages } = await import('../operator/retention/redact-account.js')
  const { countMessages } = await import('../messages/redact-queries.js')
  const { idFloor } = await import('../kit/ids.js')
  const now = world.clock.now()
  const before = idFloor('msg', daysBefore(now, days))
  const progress = out.progress(accountId, await countMessages(world.db, accountId, before))
  let seen = 0
  const request = { days, withMedia, now }
  const redacted = await redactMessages(world.db.patient, actor, accountId, request, (count) => {
    seen += count
    progress.to(seen)
  })
  progress.end()
  return redacted
}
