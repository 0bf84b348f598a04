// `longcode send`, `longcode inbound`, and `longcode call`: sends a message; in the sandbox, also simulates an inbound
// message or phone call.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { action, collect, examples } from '../command.js'
import { CommandFailure } from '../failure.js'
import type { Output } from '../output.js'
import {
  type ClientOptions,
  createServiceClient,
  type ServiceClient,
  withService,
} from '../service-client.js'

const POLL_MS = 200
const WAIT_MS_MAX = 60_000
const FINAL = new Set(['DELIVERED', 'READ', 'FAILED', 'EXPIRED'])

interface SendOptions extends ClientOptions {
  to: string
  body: string
  campaign?: string
  from?: string
  media?: string[]
  at?: string
  validity?: string
  wait?: boolean
}

export function addMessageCommands(program: Command): void {
  withService(program.command('send'))
    .description('send a message')
    .requiredOption('--to <number>', 'recipient, such as +14155550123')
    .requiredOption('--body <text>', 'message text')
    .option('--campaign <id>', 'campaign (optional with --from)')
    .option('--from <number>', 'your number to send from')
    .option('--media <url>', 'URL of an image or other file (repeatable)', collect)
    .option('--at <time>', 'send later, for example at 2027-01-01T09:00:00Z')
    .option('--validity <seconds>', 'give up after this long, 60 to 14400 (default: four hours)')
    .option('--wait', 'wait until it is delivered or failed (at most one minute)')
    .addHelpText(
      'after',
      examples(
        'send --campaign cmp_01… --to +14155550123 --body "Your table is ready." --wait',
        'send --from +14152004000 --to +14155550123 --body Hi --media https://acme.example/a.png',
      ),
    )
    .action(action(send))

  withService(program.command('inbound'))
    .description('send a message from a simulated phone to one of your numbers (sandbox)')
    .requiredOption('--from <number>', 'number of the phone')
    .requiredOption('--to <number>', 'one of your numbers')
    .requiredOption('--body <text>', 'message text')
    .option('--media <url>', 'URL of an image or other file (repeatable)', collect)
    .addHelpText('after', examples('inbound --from +14155550123 --to +14152004000 --body STOP'))
    .action(action(inbound))

  withService(program.command('call <number>'))
    .description('call a number and show what the caller hears (sandbox)')
    .option('--from <number>', 'caller (default: +14155550100)')
    .addHelpText('after', examples('call +14152004000', 'call +14152004000 --from +12125550123'))
    .action(action(call))
}

async function send(out: Output, options: SendOptions): Promise<void> {
  const client = createServiceClient(options)
  const { to, body, campaign, from, media, at, validity } = options
  const { id } = await client.call('POST', '/v1/message/send', {
    to,
    body,
    ...(campaign && { campaign }),
    ...(from && { from }),
    ...(media && { mediaUrls: media }),
    ...(at && { scheduledAt: at }),
    ...(validity && { validitySeconds: Number(validity) }),
  })
  const message = options.wait
    ? await waitForEnd(client, String(id))
    : await findMessage(client, String(id))
  out.json(message)
  out.say(`${id} ${message.status}`)
  if (message.status === 'FAILED' || message.status === 'EXPIRED') {
    throw new CommandFailure(`${message.errorCode} ${message.errorMessage}`, 'message_failed')
  }
}

async function inbound(
  out: Output,
  { from, to, body, media, ...options }: SendOptions & { from: string },
): Promise<void> {
  const answer = await createServiceClient(options).call('POST', '/sandbox/inbound', {
    from,
    to,
    body,
    ...(media && { mediaUrls: media }),
  })
  out.json(answer)
  out.say(`${answer.id} received`)
}

async function call(
  out: Output,
  to: string,
  { from, ...options }: ClientOptions & { from?: string },
): Promise<void> {
  const answer = await createServiceClient(options).call('POST', '/sandbox/call', {
    to,
    ...(from && { from }),
  })
  out.json(answer)
  out.say(`${answer.status} ${answer.heard}`)
}

async function findMessage(client: ServiceClient, id: string): Promise<Record<string, unknown>> {
  const { message } = await client.call('GET', `/v1/message/${id}`)
  return message as Record<string, unknown>
}

async function waitForEnd(client: ServiceClient, id: string): Promise<Record<string, unknown>> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const message = await findMessage(client, id)
    if (FINAL.has(String(message.status)) || waitedMs >= WAIT_MS_MAX) return message
    await sleep(POLL_MS)
  }
}
