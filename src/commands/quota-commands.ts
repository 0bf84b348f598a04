// `longcode quota …`: how much an account uses of its quotas, and its own limits.

import type { Command } from 'commander'
import { formatUse, type OwnQuotas, type QuotaName } from '../accounts/quota.js'
import type { OperatedQuota } from '../operator/accounts/set-quotas.js'
import { action, chooseAccount, examples, operate, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

const MB = 1_000_000
const GB = 1_000 * MB

interface LimitOptions {
  queued?: string
  stored?: string
  mediaMb?: string
  webhooks?: string
}

export function addQuotaCommands(program: Command): void {
  const quota = program.command('quota').description('quotas of accounts')

  quota
    .command('show [account]')
    .description('show the quotas of an account and how much of each is used')
    .addHelpText('after', examples('quota show acc_01…'))
    .action(
      action(async (out, account?: string) => {
        const { getOperatedQuotas } = await import('../operator/accounts/set-quotas.js')
        const quotas = await operate(out, async (operator) => {
          const { db, config } = operator.world
          return getOperatedQuotas(db, config, await chooseAccount(operator, account))
        })
        show(out, quotas)
      }),
    )

  quota
    .command('limit [account]')
    .description(
      'change the quotas of an account; "none" removes a limit, "default" restores the installation’s',
    )
    .option('--queued <count>', 'messages that wait to be sent, including scheduled ones')
    .option('--stored <count>', 'sent and received messages')
    .option('--media-mb <megabytes>', 'uploads and files of messages')
    .option('--webhooks <count>', 'webhooks of all campaigns')
    .addHelpText('after', examples('quota limit acc_01… --queued 100000 --webhooks default'))
    .action(action(limit))
}

async function limit(
  out: Output,
  account: string | undefined,
  options: LimitOptions,
): Promise<void> {
  const changes: Partial<OwnQuotas> = {
    ...readLimit('queuedMessages', '--queued', options.queued),
    ...readLimit('storedMessages', '--stored', options.stored),
    ...readLimit('mediaBytes', '--media-mb', options.mediaMb, MB),
    ...readLimit('webhooks', '--webhooks', options.webhooks),
  }
  if (Object.keys(changes).length === 0) {
    throw new UsageFailure('Use at least one of --queued, --stored, --media-mb, and --webhooks.')
  }
  const { changeQuotas } = await import('../operator/accounts/set-quotas.js')
  const quotas = await operate(out, async (operator) => {
    const accountId = await chooseAccount(operator, account)
    const { config } = operator.world
    return operator.act((tx, actor, now) =>
      changeQuotas(tx, config, actor, accountId, changes, now),
    )
  })
  show(out, quotas)
}

function readLimit(
  name: QuotaName,
  option: string,
  text: string | undefined,
  unit = 1,
): Partial<OwnQuotas> {
  if (text === undefined) return {}
  if (text === 'default') return { [name]: null }
  if (text === 'none') return { [name]: 0 }
  return { [name]: readWhole(option, text, 1, GB) * unit }
}

function show(out: Output, quotas: readonly OperatedQuota[]): void {
  out.json({ quotas })
  out.table(
    quotas.map(({ name, used, limit: allowed, ownLimit }) => ({
      quota: name,
      used: used === null ? 'not counted yet' : formatUse(name, used),
      limit: allowed === null ? 'none' : formatUse(name, allowed),
      setBy: ownLimit === null ? 'default' : 'account',
    })),
    ['quota', 'used', 'limit', 'setBy'],
  )
}
