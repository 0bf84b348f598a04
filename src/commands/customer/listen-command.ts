// `longcode listen`: shows an account's events as they happen and can forward them to a local port: webhooks without a
// public address. It reconnects after every interruption and misses nothing.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { action, examples } from '../command.js'
import { CommandFailure, UsageFailure } from '../failure.js'
import type { Output } from '../output.js'
import {
  type ClientOptions,
  createServiceClient,
  reach,
  type ServiceClient,
  withService,
} from '../service-client.js'
import { EventLines, type StreamedEvent } from './event-lines.js'

const RETRY_MS = 1_000
const FORWARD_MS_MAX = 15_000

interface ListenOptions extends ClientOptions {
  forward?: string
  secret?: string
  events?: string
  count?: string
}

export function addListenCommand(program: Command): void {
  withService(program.command('listen'))
    .description('show and forward the events of an account as they happen')
    .option('--forward <address>', 'POST each event to this URL, like a webhook')
    .option('--secret <whsec>', 'sign forwarded events with this webhook secret')
    .option('--events <types>', 'only these types, such as message.incoming,message.status')
    .option('--count <number>', 'stop after this number of events')
    .addHelpText(
      'after',
      `${examples(
        'listen',
        'listen --forward http://localhost:3000/hook --secret whsec_…',
        'listen --events message.incoming --count 1 --json',
      )}

Press Ctrl-C to stop. With --json, each event is one line of JSON.`,
    )
    .action(action(listen))
}

async function listen(out: Output, options: ListenOptions): Promise<void> {
  if (options.forward && !/^https?:\/\//.test(options.forward)) {
    throw new UsageFailure('--forward must be a URL such as http://localhost:3000/hook.')
  }
  const client = createServiceClient(options)
  const types = options.events?.split(',').map((type) => type.trim())
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  let left = options.count === undefined ? Number.POSITIVE_INFINITY : Number(options.count)
  let lastEventId = ''

  const handle = async (event: StreamedEvent): Promise<void> => {
    if (!event.id) return // not an event: a heartbeat or a status
    lastEventId = event.id
    if (types && !types.includes(event.type)) return
    const answer = options.forward ? await forward(event, options.forward, options.secret) : null
    show(out, event, answer)
    left -= 1
    if (left <= 0) ending.abort()
  }

  out.note(
    `Listening at ${client.url}${options.forward ? `, forwarding to ${options.forward}` : ''} …`,
  )
  while (!ending.signal.aborted) {
    await followStream(client, () => lastEventId, handle, ending.signal, out)
    if (!ending.signal.aborted) await sleep(RETRY_MS)
  }
}

/** Runs until the stream breaks. Throws errors that a retry cannot fix. */
async function followStream(
  { url, token }: ServiceClient,
  lastEventId: () => string,
  handle: (event: StreamedEvent) => Promise<void>,
  signal: AbortSignal,
  out: Output,
): Promise<void> {
  try {
    const last = lastEventId()
    const response = await reach(`${url}/v1/events/stream`, {
      signal,
      headers: { authorization: `Bearer ${token}`, ...(last && { 'last-event-id': last }) },
    })
    if (response.status >= 400 && response.status < 500) throw await refusalOf(response)
    if (!response.ok || !response.body) return
    const lines = new EventLines()
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      for (const event of lines.push(text)) {
        if (!signal.aborted) await handle(event)
      }
    }
  } catch (error) {
    if (signal.aborted) return
    const isFinal = error instanceof CommandFailure && error.code !== 'service_unreachable'
    if (isFinal || (!lastEventId() && error instanceof CommandFailure)) throw error
    out.note(`The connection was lost (${(error as Error).message}). Reconnecting …`)
  }
}

async function refusalOf(response: Response): Promise<CommandFailure> {
  const answer = (await response.json().catch(() => ({}))) as { error?: string; code?: string }
  return new CommandFailure(answer.error ?? `The service returned ${response.status}.`, answer.code)
}

async function forward(
  event: StreamedEvent,
  address: string,
  secret: string | undefined,
): Promise<string> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      body: event.data,
      headers: await headersOf(event, secret),
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_MS_MAX),
    })
    await response.arrayBuffer()
    return String(response.status)
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}

async function headersOf(
  event: StreamedEvent,
  secret: string | undefined,
): Promise<Record<string, string>> {
  const seconds = Math.floor((performance.timeOrigin + performance.now()) / 1000)
  const plain = {
    'content-type': 'application/json',
    'webhook-id': event.id,
    'webhook-timestamp': String(seconds),
  }
  if (!secret) return plain
  const { signStandard } = await import('../../webhooks/deliver/sign-event.js')
  return { ...plain, 'webhook-signature': signStandard(secret, event.id, seconds, event.data) }
}

function show(out: Output, event: StreamedEvent, answer: string | null): void {
  const body = JSON.parse(event.data) as { createdAt: string; data: Record<string, unknown> }
  if (out.isJson) {
    console.log(JSON.stringify({ ...body, ...(answer !== null && { forwarded: answer }) }))
    return
  }
  const message = body.data.message as { id?: string; status?: string; body?: string } | undefined
  const columns = message ? [message.id, message.status] : []
  const forwarded = answer === null ? [] : [`→ ${answer}`]
  out.say([body.createdAt, event.type.padEnd(17), ...columns, ...forwarded].join('  '))
}
