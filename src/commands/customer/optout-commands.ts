// `longcode optout …`: who does not want messages of a campaign. Operators change opt-outs of any account with
// --operator.

import type { Command } from 'commander'
import { action, examples, groupOf } from '../command.js'
import type { Output } from '../output.js'
import { changeAnyOptout } from '../oversight-commands.js'
import { type ClientOptions, createServiceClient, withService } from '../service-client.js'
import { type ApiRecord, type ListOptions, pathTo, showList } from './records.js'

interface ChangeOptions extends ClientOptions {
  reason: string
  operator?: true
}

export function addOptoutCommands(program: Command): void {
  const optout = groupOf(program, 'optout', 'opt-outs of your campaigns')
  withService(optout.command('list <campaign>'))
    .description('list recipients that opted out')
    .option('--limit <count>', 'maximum number of rows', '100')
    .addHelpText('after', examples('optout list cmp_01…'))
    .action(
      action((out, campaign: string, options: ListOptions) =>
        showList(out, options, {
          path: pathTo('campaign', campaign, 'optouts'),
          field: 'optouts',
          columns: ['recipient', 'optedOutAt', 'keyword', 'reason', 'messageId'],
        }),
      ),
    )

  withService(optout.command('show <campaign> <number>'))
    .description('show every opt-out and opt-in of a recipient')
    .addHelpText('after', examples('optout show cmp_01… +14155550123'))
    .action(action(showChanges))

  for (const change of ['add', 'remove'] as const) {
    withService(optout.command(`${change} <campaign> <number>`))
      .description(change === 'add' ? 'opt a recipient out' : 'opt a recipient in again')
      .requiredOption('--reason <text>', 'reason, recorded in the log')
      .option('--operator', 'in a campaign of any account, through the database (operator)')
      .addHelpText('after', examples(`optout ${change} cmp_01… +14155550123 --reason "by mail"`))
      .action(
        action((out, campaign: string, number: string, options: ChangeOptions) =>
          changeOptout(out, change, campaign, number, options),
        ),
      )
  }
}

async function showChanges(
  out: Output,
  campaign: string,
  number: string,
  options: ClientOptions,
): Promise<void> {
  const path = pathTo('campaign', campaign, 'optouts', number)
  const { changes } = await createServiceClient(options).call('GET', path)
  out.json(changes)
  out.table(changes as ApiRecord[], ['createdAt', 'change', 'source', 'reason'])
}

async function changeOptout(
  out: Output,
  change: 'add' | 'remove',
  campaignId: string,
  recipient: string,
  options: ChangeOptions,
): Promise<void> {
  const { reason } = options
  if (options.operator) await changeAnyOptout(out, change, { campaignId, recipient, reason })
  else {
    const client = createServiceClient(options)
    const path = pathTo('campaign', campaignId, 'optouts', recipient)
    const reply =
      change === 'add'
        ? await client.call('PUT', path, { reason })
        : await client.call('DELETE', `${path}?${new URLSearchParams({ reason })}`)
    out.json(reply)
  }
  out.say(`${recipient} is ${change === 'add' ? 'opted out' : 'opted in again'}.`)
}
