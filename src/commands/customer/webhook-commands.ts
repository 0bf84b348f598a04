// `longcode webhook …`: the webhooks of an account. Operators list and enable disabled webhooks of any account with
// --operator.

import type { Command } from 'commander'
import { action, examples, groupOf } from '../command.js'
import { UsageFailure } from '../failure.js'
import type { Output } from '../output.js'
import { enableAny, listDisabled } from '../oversight-commands.js'
import { type ClientOptions, createServiceClient, withService } from '../service-client.js'
import {
  type ApiRecord,
  type ListOptions,
  pathTo,
  readList,
  sayRecord,
  showList,
  showRecord,
} from './records.js'

const EVENTS = 'message.incoming,message.status'

interface WebhookOptions extends ClientOptions {
  name?: string
  events?: string
  numbers?: string
  endpoint?: string
}

export function addWebhookCommands(program: Command): void {
  const webhook = groupOf(program, 'webhook', 'your webhooks and their deliveries')
  addRecords(webhook)
  addChanges(webhook)
  addDeliveries(webhook)
}

function addRecords(webhook: Command): void {
  withService(webhook.command('list'))
    .description('list your webhooks')
    .option('--limit <count>', 'maximum number of rows', '100')
    .option('--operator', 'disabled webhooks of all accounts, through the database (operator)')
    .option('--account <id>', 'with --operator: only this account')
    .action(action(list))

  withService(webhook.command('show <id>'))
    .description('show a webhook and its secret')
    .action(
      action((out, id: string, options: ClientOptions) =>
        showRecord(out, options, pathTo('webhook', id), 'webhook'),
      ),
    )

  withService(webhook.command('create <campaign> <endpoint>'))
    .description('send the events of a campaign to an endpoint; shows the signing secret')
    .option('--events <types>', 'event types, separated by commas', EVENTS)
    .option('--numbers <numbers>', 'only these numbers, separated by commas (default: all)')
    .option('--name <name>', 'what it is for')
    .addHelpText('after', examples('webhook create cmp_01… https://acme.example/hook'))
    .action(
      action(async (out, campaign: string, endpoint: string, options: WebhookOptions) => {
        const path = pathTo('campaign', campaign, 'webhooks')
        const body = bodyOf({ ...options, endpoint })
        const reply = await createServiceClient(options).call('POST', path, body)
        sayRecord(out, reply.webhook as ApiRecord)
      }),
    )
}

function addChanges(webhook: Command): void {
  withService(webhook.command('change <id>'))
    .description('change a webhook')
    .option('--endpoint <url>', 'where events go')
    .option('--events <types>', 'event types, separated by commas')
    .option('--numbers <numbers>', 'only these numbers, separated by commas')
    .option('--name <name>', 'what it is for')
    .addHelpText('after', examples('webhook change whk_01… --endpoint https://acme.example/new'))
    .action(
      action(async (out, id: string, options: WebhookOptions) => {
        const body = bodyOf(options)
        if (Object.keys(body).length === 0) {
          throw new UsageFailure('Use at least one of --endpoint, --events, --numbers, and --name.')
        }
        const reply = await createServiceClient(options).call('PATCH', pathTo('webhook', id), body)
        sayRecord(out, reply.webhook as ApiRecord)
      }),
    )

  withService(webhook.command('enable <id>'))
    .description('enable a webhook again')
    .option('--operator', 'of any account, through the database (operator)')
    .action(
      action((out, id: string, options: ClientOptions & { operator?: true }) =>
        options.operator ? enableAny(out, id) : setEnabled(out, id, options, true),
      ),
    )
  withService(webhook.command('disable <id>'))
    .description('stop sending events until it is enabled again')
    .action(action((out, id: string, options) => setEnabled(out, id, options, false)))

  withService(webhook.command('rotate <id>'))
    .description('create a new signing secret; the old one stays valid for a while')
    .action(
      action(async (out, id: string, options: ClientOptions) => {
        const path = pathTo('webhook', id, 'rotate')
        const reply = await createServiceClient(options).call('POST', path)
        sayRecord(out, reply.webhook as ApiRecord)
      }),
    )

  withService(webhook.command('delete <id>'))
    .description('delete a webhook')
    .action(
      action(async (out, id: string, options: ClientOptions) => {
        out.json(await createServiceClient(options).call('DELETE', pathTo('webhook', id)))
        out.say(`Deleted ${id}.`)
      }),
    )
}

function addDeliveries(webhook: Command): void {
  withService(webhook.command('test <id>'))
    .description('send a test event')
    .option('--event <type>', 'event type (default: the first that it subscribes to)')
    .action(
      action(async (out, id: string, options: ClientOptions & { event?: string }) => {
        const body = options.event ? { eventType: options.event } : {}
        const path = pathTo('webhook', id, 'test')
        const { delivery } = await createServiceClient(options).call('POST', path, body)
        sayDelivery(out, delivery as ApiRecord)
      }),
    )

  withService(webhook.command('deliveries <id>'))
    .description('list what was sent to a webhook, newest first')
    .option('--state <state>', 'pending, delivered, failed, or held')
    .option('--message <id>', 'only events of this message')
    .option('--limit <count>', 'maximum number of rows', '20')
    .addHelpText('after', examples('webhook deliveries whk_01… --message msg_01…'))
    .action(
      action((out, id: string, options: ListOptions & { state?: string; message?: string }) =>
        showList(out, options, {
          path: pathTo('webhook', id, 'deliveries'),
          field: 'deliveries',
          columns: ['id', 'eventType', 'messageId', 'state', 'createdAt', 'finishedAt'],
          query: { state: options.state, message: options.message },
        }),
      ),
    )

  withService(webhook.command('replay <id> <delivery>'))
    .description('send a delivery again')
    .action(
      action(async (out, id: string, deliveryId: string, options: ClientOptions) => {
        const path = pathTo('webhook', id, 'deliveries', deliveryId, 'replay')
        const { delivery } = await createServiceClient(options).call('POST', path)
        sayDelivery(out, delivery as ApiRecord)
      }),
    )
}

async function list(
  out: Output,
  options: ListOptions & { operator?: true; account?: string },
): Promise<void> {
  if (options.operator) return listDisabled(out, options.account)
  if (options.account) throw new UsageFailure('--account requires --operator.')
  await showList(out, options, {
    path: '/v1/webhook/list',
    field: 'webhooks',
    columns: ['id', 'enabled', 'url', 'campaignId', 'eventTypes', 'disabledReason'],
  })
}

function bodyOf({ endpoint, name, events, numbers }: WebhookOptions): ApiRecord {
  return {
    ...(endpoint && { url: endpoint }),
    ...(name && { name }),
    ...(events && { eventTypes: readList(events) }),
    ...(numbers && { numbers: readList(numbers) }),
  }
}

async function setEnabled(
  out: Output,
  id: string,
  options: ClientOptions,
  enabled: boolean,
): Promise<void> {
  const path = pathTo('webhook', id)
  const reply = await createServiceClient(options).call('PATCH', path, { enabled })
  out.json(reply.webhook)
  out.say(`${id} is ${enabled ? 'enabled' : 'disabled'}.`)
}

function sayDelivery(out: Output, delivery: ApiRecord): void {
  out.json(delivery)
  out.say(`${delivery.id} ${delivery.state}`)
}
