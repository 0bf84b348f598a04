// `longcode account …` and `longcode credit`: customer accounts and their balances.

import type { Command } from 'commander'
import type { OperatedAccount } from '../operator/accounts/manage-accounts.js'
import type { LedgerAdjustment } from '../operator/accounts/move-money.js'
import { plural } from '../text/plural.js'
import { action, chooseAccount, examples, operate, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { OperatorWorld } from './operator-world.js'
import type { Output } from './output.js'

const COLUMNS = ['id', 'name', 'status', 'balance', 'createdAt']

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('customer accounts')
  addOpening(account)
  addStates(account)
  addMoney(account)
  addCreditTo(
    program
      .command('credit [account] [dollars]')
      .description('add money to an account (same as `account credit`)'),
  )
}

function addOpening(account: Command): void {
  account
    .command('create <name>')
    .description('create an account')
    .option('--credit <dollars>', 'starting balance')
    .option('--message-days <days>', 'delete message texts after this number of days')
    .option('--media-days <days>', 'delete media after this number of days')
    .option(
      '--record-days <days>',
      'delete whole messages after this number of days (30 or more), or never. Default: LONGCODE_RECORD_DAYS',
    )
    .addHelpText('after', examples('account create "Acme Coffee" --credit 50 --message-days 90'))
    .action(
      action(async (out, name: string, options) => {
        await show(out, async ({ act }) => {
          const { openCustomer } = await import('../operator/accounts/manage-accounts.js')
          const { readAmount } = await import('../ledger/amount.js')
          const creditMicros = options.credit ? readAmount('--credit', options.credit) : 0n
          const request = { name, creditMicros, ...retentionIn(options) }
          return act((tx, actor, now) => openCustomer(tx, actor, request, now))
        })
      }),
    )

  account
    .command('list')
    .description('list accounts, newest first')
    .option('--status <status>', 'ACTIVE, SUSPENDED, or DELETED')
    .option('--limit <count>', 'maximum number of rows', '100')
    .addHelpText('after', examples('account list', 'account list --status SUSPENDED --json'))
    .action(action(listAll))

  account
    .command('show [id]')
    .description('show one account')
    .action(
      action(async (out, id?: string) => {
        await show(out, async (operator) => {
          const { getOperatedAccount } = await import('../operator/accounts/manage-accounts.js')
          return getOperatedAccount(operator.world.db, await chooseAccount(operator, id))
        })
      }),
    )

  account
    .command('change [id]')
    .description('rename an account, or change its retention of messages, texts, and media')
    .option('--name <name>', 'the new name')
    .option('--message-days <days>', 'delete message texts after this number of days, or `never`')
    .option('--media-days <days>', 'delete media after this number of days, or `never`')
    .option(
      '--record-days <days>',
      'delete whole messages after this number of days (30 or more), or `never`',
    )
    .addHelpText('after', examples('account change acc_01… --message-days 30 --media-days never'))
    .action(
      action(async (out, id: string | undefined, options) => {
        await show(out, async (operator) => {
          const { changeAccount } = await import('../operator/accounts/manage-accounts.js')
          const changes = { ...(options.name && { name: options.name }), ...retentionIn(options) }
          const accountId = await chooseAccount(operator, id)
          return operator.act((tx, actor, now) => changeAccount(tx, actor, accountId, changes, now))
        })
      }),
    )
}

function addStates(account: Command): void {
  for (const move of ['suspend', 'resume'] as const) {
    account
      .command(`${move} [id]`)
      .description(
        move === 'suspend'
          ? 'refuse its tokens and stop its call forwarding'
          : 'resume a suspended account',
      )
      .requiredOption('--reason <text>', 'why, for the audit log')
      .addHelpText('after', examples(`account ${move} acc_01… --reason "invoice 1042"`))
      .action(
        action(async (out, id: string | undefined, { reason }) => {
          await show(out, async (operator) => {
            const { moveAccount } = await import('../operator/accounts/manage-accounts.js')
            const accountId = await chooseAccount(operator, id)
            return operator.act((tx, actor, now) =>
              moveAccount(tx, actor, accountId, move, reason, now),
            )
          })
        }),
      )
  }

  account
    .command('delete <id>')
    .description('permanently delete a suspended account and everything in it')
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--yes', 'confirm: nothing is deleted without it')
    .addHelpText(
      'after',
      examples('export acc_01… --out acme.ndjson', 'account delete acc_01… --reason asked --yes'),
    )
    .action(action(deleteForGood))
}

function addMoney(account: Command): void {
  addCreditTo(account.command('credit [id] [dollars]').description('add money to an account'))
  account
    .command('correct [id] [dollars]')
    .usage('[options] [id] <dollars>')
    .description('correct the balance (a negative amount deducts)')
    .requiredOption('--note <text>', 'reason, shown to the customer in the ledger')
    .option(
      '--reference <text>',
      'your reference, such as a ticket number; a repeated one is refused',
    )
    .allowUnknownOption() // otherwise a negative amount would be parsed as an option
    .addHelpText('after', examples('account correct acc_01… -12.50 --note "credited twice"'))
    .action(
      action(async (out, first?: string, second?: string, options?) => {
        const { id, dollars } = readMoneyArguments(first, second)
        await show(out, async (operator) => {
          const { correctCustomer } = await import('../operator/accounts/move-money.js')
          const { readAmount } = await import('../ledger/amount.js')
          const size = readAmount('the amount', dollars.replace(/^-/, ''))
          const amountMicros = dollars.startsWith('-') ? -size : size
          const moneyMove = moveOf(amountMicros, options)
          const accountId = await chooseAccount(operator, id)
          return operator.act((tx, actor, now) =>
            correctCustomer(tx, actor, accountId, moneyMove, now),
          )
        })
      }),
    )
}

function addCreditTo(command: Command): void {
  command
    .usage('[options] [account] <dollars>')
    .requiredOption('--note <text>', 'reason, shown to the customer in the ledger')
    .option(
      '--reference <text>',
      'your reference, such as an invoice number; a repeated one is refused',
    )
    .addHelpText(
      'after',
      examples('credit 50 --note Gift', 'credit acc_01… 50 --note "Payment received"'),
    )
    .action(
      action(async (out, first?: string, second?: string, options?) => {
        const { id, dollars } = readMoneyArguments(first, second)
        await show(out, async (operator) => {
          const { creditCustomer } = await import('../operator/accounts/move-money.js')
          const { readAmount } = await import('../ledger/amount.js')
          const moneyMove = moveOf(readAmount('the amount', dollars), options)
          const accountId = await chooseAccount(operator, id)
          return operator.act((tx, actor, now) =>
            creditCustomer(tx, actor, accountId, moneyMove, now),
          )
        })
      }),
    )
}

async function show(
  out: Output,
  work: (operator: OperatorWorld) => Promise<OperatedAccount>,
): Promise<void> {
  const account = await operate(out, work)
  const { wireOperatedAccount } = await import('../operator/accounts/account-wire.js')
  const wire = wireOperatedAccount(account)
  out.json(wire)
  for (const [name, value] of Object.entries(wire)) {
    if (value !== null) out.say(`${name.padEnd(20)} ${value}`)
  }
}

async function listAll(
  out: Output,
  options: { status?: 'ACTIVE' | 'SUSPENDED' | 'DELETED'; limit: string },
): Promise<void> {
  const { listAccounts } = await import('../accounts/account-queries.js')
  const { ACCOUNT_STATUSES } = await import('../accounts/account.js')
  const { withBalances } = await import('../operator/accounts/manage-accounts.js')
  const { wireOperatedAccount } = await import('../operator/accounts/account-wire.js')
  const { status = null } = options
  if (status !== null && !ACCOUNT_STATUSES.includes(status)) {
    throw new UsageFailure(`--status must be one of ${ACCOUNT_STATUSES.join(', ')}.`)
  }
  const page = { limit: readWhole('--limit', options.limit, 1), skip: 0, after: null }
  const accounts = await operate(out, async ({ world }) => {
    const found = await listAccounts(world.db, { status, search: null }, page)
    return withBalances(world.db, found.slice(0, page.limit))
  })
  const wires = accounts.map(wireOperatedAccount)
  out.json(wires)
  out.table(wires, COLUMNS)
}

async function deleteForGood(
  out: Output,
  id: string,
  { reason, yes }: { reason: string; yes?: boolean },
): Promise<void> {
  if (!yes) {
    throw new UsageFailure('This cannot be undone. Export the account first, then add --yes.')
  }
  const { deleteAccount, removeRemains } = await import('../operator/accounts/delete-account.js')
  await operate(out, async ({ world, act }) => {
    await act((tx, actor, now) => deleteAccount(tx, actor, id, reason, now))
    const progress = out.progress('Deleting rows', null)
    const deletingSince = world.clock.now()
    let removed = 0
    for (;;) {
      const count = await removeRemains(
        world.db.patient,
        { accountId: id, deletingSince },
        deletingSince,
      )
      if (count === 0) break
      removed += count
      progress.to(removed)
    }
    progress.end()
    out.json({ id, status: 'DELETED', removedRows: removed })
    out.say(`Deleted ${id}: ${plural(removed, 'row')}. Its ledger and the audit log are kept.`)
  })
}

/** The account comes first and can be omitted. */
function readMoneyArguments(first: string | undefined, second: string | undefined) {
  if (first === undefined) throw new UsageFailure('Give the amount in dollars, for example 50.')
  if (second !== undefined) return { id: first, dollars: second }
  if (first.startsWith('acc_')) throw new UsageFailure('Give the amount after the account.')
  return { id: undefined, dollars: first }
}

function moveOf(
  amountMicros: bigint,
  options: { note: string; reference?: string },
): LedgerAdjustment {
  return { amountMicros, note: options.note, reference: options.reference ?? null }
}

function retentionIn(options: { messageDays?: string; mediaDays?: string; recordDays?: string }) {
  const { messageDays, mediaDays, recordDays } = options
  const days = (name: string, text: string, min: number, max: number) =>
    text === 'never' ? null : readWhole(name, text, min, max)
  const retention = {
    ...(messageDays && { messageDays: days('--message-days', messageDays, 1, 36_500) }),
    ...(mediaDays && { mediaDays: days('--media-days', mediaDays, 1, 36_500) }),
    ...(recordDays && { recordDays: days('--record-days', recordDays, 30, 3_650) }), // same range as in the API
  }
  return Object.keys(retention).length === 0 ? {} : { retention }
}
