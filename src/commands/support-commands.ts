// `longcode message find`: answers "my text did not arrive", for any account.

import type { Command } from 'commander'
import { action, examples, groupOf, operate, readTimeOption, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

interface FindOptions {
  account?: string
  since?: string
  until?: string
  reason?: string
  limit: string
}

const LIMIT_MAX = 100

export function addSupportCommands(program: Command): void {
  groupOf(program, 'message', 'your messages and what happened to them')
    .command('find [what]')
    .description('find messages of any account by id or phone number (operators)')
    .option('--account <id>', 'only this account')
    .option('--since <time>', 'created at or after this time (default: 7 days ago)')
    .option('--until <time>', 'created before this time')
    .option('--reason <text>', 'why you look; required to see texts, and visible to the customer')
    .option('--limit <count>', 'maximum number of rows', '20')
    .addHelpText(
      'after',
      examples(
        'message find msg_01…',
        'message find +14155550100 --since 2027-01-01 --reason "Ticket 4711"',
      ),
    )
    .action(action(find))
}

async function find(out: Output, what: string | undefined, options: FindOptions): Promise<void> {
  const isMessage = what?.startsWith('msg_') ?? false
  if (isMessage) return showOne(out, what!, options.reason ?? null)
  const { findMessages } = await import('../operator/support/find-messages.js')
  const { wireFound } = await import('../operator/support/support-operations.js')
  const { digitsToE164 } = await import('../text/phone-number.js')
  const phone = what === undefined ? null : digitsToE164(what)
  if (what !== undefined && phone === null) {
    throw new UsageFailure(`"${what}" is neither a message ID nor a phone number.`)
  }
  const since = readTimeOption('--since', options.since)
  const until = readTimeOption('--until', options.until)
  const limit = Math.min(readWhole('--limit', options.limit, 1), LIMIT_MAX)
  const { found, hasMore } = await operate(out, ({ world, actor }) =>
    findMessages(world, actor, {
      ...{ id: null, phone, accountId: options.account ?? null, since, until },
      ...{ reason: options.reason?.trim() || null, limit, after: null },
    }),
  )
  const messages = found.map(wireFound)
  out.json(messages)
  out.table(messages, ['id', 'createdAt', 'from', 'to', 'status', 'errorCode', 'accountId'])
  if (hasMore) out.note('More messages match. Narrow the time range, or raise --limit.')
}

async function showOne(out: Output, id: string, reason: string | null): Promise<void> {
  const { openMessage } = await import('../operator/support/find-messages.js')
  const { wireFile } = await import('../operator/support/support-operations.js')
  const file = wireFile(
    await operate(out, ({ world, actor }) =>
      openMessage({ ...world, carrier: {} }, actor, id, reason?.trim() || null),
    ),
  )
  out.json(file)
  out.table([file.message], ['id', 'from', 'to', 'status', 'errorCode', 'accountId'])
  if (file.message.body !== null) out.say(file.message.body)
  out.table(file.timeline, ['at', 'text'])
  const handovers = file.handovers.map((one) => ({ ...one, carrierIds: one.carrierIds.join(' ') }))
  if (handovers.length > 0) out.table(handovers, ['at', 'link', 'carrierIds'])
}
