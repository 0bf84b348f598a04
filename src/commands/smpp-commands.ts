// `longcode smpp …`: limits of customers that bind over SMPP, and the addresses they can bind from.

import type { Command } from 'commander'
import type { SmppCustomer } from '../operator/accounts/set-smpp-limits.js'
import { action, chooseAccount, examples, operate, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

interface LimitOptions {
  rate?: string
  binds?: string
  window?: string
}

export function addSmppCommands(program: Command): void {
  const smpp = program.command('smpp').description('limits of customers that bind over SMPP')

  smpp
    .command('show [account]')
    .description('show the limits and system IDs of an account')
    .addHelpText('after', examples('smpp show acc_01…'))
    .action(
      action(async (out, account?: string) => {
        const { getSmppCustomer } = await import('../operator/accounts/set-smpp-limits.js')
        const customer = await operate(out, async (operator) =>
          getSmppCustomer(operator.world.db, await chooseAccount(operator, account)),
        )
        await show(out, customer)
      }),
    )

  smpp
    .command('limit [account]')
    .description('change the limits of an account; "default" restores the server’s limit')
    .option('--rate <count>', 'submits per second and process (0: no limit)')
    .option('--binds <count>', 'concurrent binds, over all processes')
    .option('--window <count>', 'outstanding submits per bind')
    .addHelpText('after', examples('smpp limit acc_01… --rate 50 --binds 2 --window default'))
    .action(action(limit))

  smpp
    .command('allow <system-id> [addresses...]')
    .description('set the addresses that a system ID can bind from')
    .option('--any', 'allow any address')
    .addHelpText(
      'after',
      examples('smpp allow lc7hq2m9x4kd8wz 192.0.2.0/24', 'smpp allow lc7hq2m9x4kd8wz --any'),
    )
    .action(action(allow))
}

async function limit(
  out: Output,
  account: string | undefined,
  options: LimitOptions,
): Promise<void> {
  const { changeSmppLimits } = await import('../operator/accounts/set-smpp-limits.js')
  const changes = {
    ...readLimit('submitsPerSecond', '--rate', options.rate, 0, 1_000_000),
    ...readLimit('binds', '--binds', options.binds, 1, 1_000),
    ...readLimit('window', '--window', options.window, 1, 10_000),
  }
  if (Object.keys(changes).length === 0) {
    throw new UsageFailure('Use at least one of --rate, --binds, and --window.')
  }
  const customer = await operate(out, async (operator) => {
    const accountId = await chooseAccount(operator, account)
    return operator.act((tx, actor, now) => changeSmppLimits(tx, actor, accountId, changes, now))
  })
  await show(out, customer)
}

function readLimit(
  name: string,
  option: string,
  text: string | undefined,
  min: number,
  max: number,
): Record<string, number | null> {
  if (text === undefined) return {}
  return { [name]: text === 'default' ? null : readWhole(option, text, min, max) }
}

async function allow(
  out: Output,
  systemId: string,
  addresses: string[],
  options: { any?: boolean },
): Promise<void> {
  if ((options.any === true) === addresses.length > 0) {
    throw new UsageFailure('Give at least one address, or --any.')
  }
  const { changeAllowedAddresses } = await import('../operator/accounts/set-smpp-limits.js')
  const { wireOperatedSystem } = await import('../operator/accounts/smpp-limit-routes.js')
  const allowed = options.any ? null : addresses
  const system = await operate(out, ({ act }) =>
    act((tx, actor, now) => changeAllowedAddresses(tx, actor, systemId, allowed, now)),
  )
  out.json(wireOperatedSystem(system))
  out.say(`${systemId} can bind from ${system.allowedAddresses?.join(', ') ?? 'anywhere'}.`)
}

async function show(out: Output, customer: SmppCustomer): Promise<void> {
  const { wireSmppCustomer } = await import('../operator/accounts/smpp-limit-routes.js')
  const { limits, systems } = customer
  const format = (value: number | null) => value ?? 'default'
  out.json(wireSmppCustomer(customer))
  out.say(
    `rate ${format(limits.submitsPerSecond)}, binds ${format(limits.binds)}, window ${format(limits.window)}`,
  )
  out.table(
    systems.map((system) => ({
      ...system,
      allowedAddresses: system.allowedAddresses?.join(' ') ?? 'any',
    })),
    ['systemId', 'tokenId', 'allowedAddresses'],
  )
}
