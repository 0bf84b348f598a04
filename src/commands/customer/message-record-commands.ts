// `longcode message list|show|timeline|cancel`: the messages of an account.

import type { Command } from 'commander'
import { action, examples, groupOf, readTimeOption } from '../command.js'
import type { Output } from '../output.js'
import { type ClientOptions, createServiceClient, withService } from '../service-client.js'
import { type ApiRecord, type ListOptions, pathTo, showList, showRecord } from './records.js'

interface MessageListOptions extends ListOptions {
  campaign?: string
  direction?: string
  number?: string
  status?: string
  since?: string
  until?: string
}

export function addMessageRecordCommands(program: Command): void {
  const message = groupOf(program, 'message', 'your messages and what happened to them')
  withService(message.command('list'))
    .description('list your messages, newest first')
    .option('--campaign <id>', 'only this campaign')
    .option('--direction <direction>', 'INBOUND or OUTBOUND')
    .option('--number <number>', 'only to or from this number')
    .option('--status <status>', 'such as QUEUED, DELIVERED, or FAILED')
    .option('--since <time>', 'created at or after this time')
    .option('--until <time>', 'created before this time')
    .option('--limit <count>', 'maximum number of rows', '20')
    .addHelpText(
      'after',
      examples(
        'message list --status FAILED --since 2027-01-01',
        'message list --limit 100 --json',
      ),
    )
    .action(action(list))

  withService(message.command('show <id>'))
    .description('show one message')
    .action(
      action((out, id: string, options: ClientOptions) =>
        showRecord(out, options, pathTo('message', id), 'message'),
      ),
    )

  withService(message.command('timeline <id>'))
    .description('show everything that happened to a message, oldest first')
    .addHelpText('after', examples('message timeline msg_01…'))
    .action(action(timeline))

  withService(message.command('cancel <id>'))
    .description('cancel a message that has not been sent yet')
    .action(
      action(async (out, id: string, options: ClientOptions) => {
        const reply = await createServiceClient(options).call('DELETE', pathTo('message', id))
        out.json(reply)
        out.say(`Canceled ${id}.`)
      }),
    )
}

async function list(out: Output, options: MessageListOptions): Promise<void> {
  const { campaign, direction, number, status } = options
  const since = readTimeOption('--since', options.since)?.toISOString()
  const until = readTimeOption('--until', options.until)?.toISOString()
  await showList(out, options, {
    path: '/v1/message/list',
    field: 'messages',
    columns: ['id', 'createdAt', 'direction', 'from', 'to', 'status', 'errorCode', 'body'],
    query: { campaign, direction, number, status, since, until },
  })
}

async function timeline(out: Output, id: string, options: ClientOptions): Promise<void> {
  const reply = await createServiceClient(options).call('GET', pathTo('message', id, 'timeline'))
  const entries = reply.timeline as ApiRecord[]
  out.json(entries)
  for (const { at, text } of entries) out.say(`${at}  ${text}`)
}
