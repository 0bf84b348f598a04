// `longcode smsc`: a test SMSC, to try Longcode over SMPP without a carrier. It prints the messages it receives. Lines
// typed into it are sent to Longcode as messages from phones.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { DAY_MS, MINUTE_MS } from '../kit/clock.js'
import type { InboundText } from '../smsc/inbound.js'
import type { Smsc } from '../smsc/smsc.js'
import type { SmscOptions } from '../smsc/smsc-options.js'
import { action, examples, readWhole } from './command.js'
import { CommandFailure, UsageFailure } from './failure.js'
import type { Output } from './output.js'

type Flags = Record<string, string | boolean | undefined>

const PORT_MAX = 65_535

const AFTER = `${examples(
  'smsc',
  'smsc --port 2776 --system-id me --password secret --receipts mix',
  'smsc --throttle 10 --lose 1 --kill-every 1000 --seed 7',
)}

Each message is shown once, reassembled from its parts. To send one as a phone, type FROM TO TEXT, for example
  +14155550199 +14155550100 Hello
Long texts are sent in parts. Any script works. Recipients in 555-01xx are magic numbers, as in the sandbox.
Faults are random. The same --seed reproduces them. Press Ctrl-C to stop. Nothing is stored.`

export function addSmscCommand(program: Command): void {
  program
    .command('smsc')
    .description('run an SMSC to test SMPP without a carrier')
    .option('--port <port>', 'port to listen on (0: any free port)', '2775')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--system-id <name>', 'system ID that can bind (default: any)')
    .option('--password <password>', 'password to bind with (default: any)')
    .option('--tls-cert <file>', 'PEM certificate; connections then use TLS')
    .option('--tls-key <file>', 'PEM key of the certificate')
    .option('--receipts <kind>', 'delivered, failed, none, or mix', 'delivered')
    .option('--receipt-delay <ms>', 'delay of receipts', '1000')
    .option('--receipt-dialect <kind>', 'text, tlv, or both', 'both')
    .option('--id-form <form>', 'format of message ids: hex, decimal, uuid', 'hex')
    .option(
      '--receipt-id-form <form>',
      'format of message ids in receipts: hex, decimal (default: the same)',
    )
    .option('--throttle <percent>', 'share of submits refused with ESME_RTHROTTLED')
    .option('--rate <number>', 'submits per second; more are refused with ESME_RTHROTTLED')
    .option('--queue-full <percent>', 'share of submits refused with ESME_RMSGQFUL')
    .option('--delay <ms>', 'delay of responses')
    .option('--lose <percent>', 'share of submits accepted without a response')
    .option('--reorder', 'send responses out of order')
    .option('--duplicate-answers', 'send every response twice')
    .option('--kill-every <number>', 'close a connection after this number of submits')
    .option('--freeze <number>', 'stop responding on a connection after this number of submits')
    .option('--inbound-every <seconds>', 'reply to the last message as its phone, at this interval')
    .option('--seed <number>', 'seed of the random faults', '1')
    .addHelpText('after', AFTER)
    .action(action(runSmsc))
}

async function runSmsc(out: Output, flags: Flags): Promise<void> {
  const options = readOptions(flags)
  const { startSmsc } = await import('../smsc/smsc.js')
  const { messageFacts, messageLine } = await import('../smsc/carriers-lines.js')
  const smsc = await startSmsc(options, {
    onMessage: (message) => {
      if (out.isJson) console.log(JSON.stringify(messageFacts(message)))
      else out.say(messageLine(message))
    },
    onNote: out.note,
  }).catch((error: NodeJS.ErrnoException) => {
    throw explainListen(error, options)
  })
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
  await showStart(out, smsc, options, flags)
  const lines = await readLines(out, smsc)
  await ended
  lines.close()
  await smsc.stop()
}

async function showStart(
  out: Output,
  smsc: Smsc,
  options: ReadOptions,
  flags: Flags,
): Promise<void> {
  const { carriersLines } = await import('../smsc/carriers-lines.js')
  const { host } = options
  const caFile = flags.tlsCert === undefined ? null : String(flags.tlsCert)
  const at = `${host.includes(':') ? `[${host}]` : host}:${smsc.port}`
  out.note(`The SMSC is listening on ${at}${options.tls ? ' (TLS)' : ''}. It stores nothing.`)
  out.note('To connect Longcode, put this in carriers.yaml and start Longcode with')
  out.note('LONGCODE_CARRIERS=carriers.yaml:')
  out.note('')
  for (const line of carriersLines(options, { host, port: smsc.port, caFile })) out.note(line)
  out.note('')
  out.note('To send a message as a phone, type FROM TO TEXT')
}

/** Without a terminal, for example in the background, it runs without input. */
async function readLines(out: Output, smsc: Smsc): Promise<{ close: () => void }> {
  const { readTypedLine } = await import('../smsc/inbound.js')
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    if (line.trim() === '') return
    const read = readTypedLine(line)
    if ('problem' in read) out.note(read.problem)
    else void sendTyped(out, smsc, read.message) // never rejects: it prints the result
  })
  return {
    close: () => {
      lines.close()
      process.stdin.destroy() // a terminal, a pipe, or a file such as /dev/null
    },
  }
}

async function sendTyped(out: Output, smsc: Smsc, message: InboundText): Promise<void> {
  const { from, to } = message
  if (smsc.binds.every(({ as }) => as === 'bind_transmitter')) {
    out.note('No receiver is bound. The message waits until one binds.')
  }
  const isAccepted = await smsc.sendInbound(message)
  out.note(`${from} → ${to}: ${isAccepted ? 'accepted' : 'refused, or never acknowledged'}.`)
}

function explainListen(error: NodeJS.ErrnoException, { host, port }: ReadOptions): Error {
  const at = `--host ${host} --port ${port}`
  if (error.code === 'EADDRINUSE') {
    return new CommandFailure(`${at}: the port is in use. Choose another --port.`)
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EACCES' || error.code === 'ENOTFOUND') {
    return new CommandFailure(`${at}: cannot listen there (${error.code}).`)
  }
  const isTls = error.code?.startsWith('ERR_OSSL') || error.code?.startsWith('ERR_SSL')
  return isTls ? new CommandFailure(`--tls-cert, --tls-key: ${error.message}.`) : error
}

type ReadOptions = SmscOptions &
  Required<Pick<SmscOptions, 'host' | 'port' | 'systemId' | 'password' | 'tls'>>

function readOptions(flags: Flags): ReadOptions {
  return {
    host: String(flags.host),
    port: whole(flags, 'port', 0, PORT_MAX)!,
    tls: readTls(flags),
    systemId: text(flags, 'systemId', 64),
    password: text(flags, 'password', 64),
    receipts: oneOf(flags, 'receipts', ['delivered', 'failed', 'none', 'mix'])!,
    receiptDelayMs: whole(flags, 'receiptDelay', 0, DAY_MS)!,
    receiptDialect: oneOf(flags, 'receiptDialect', ['text', 'tlv', 'both'])!,
    idForm: oneOf(flags, 'idForm', ['hex', 'decimal', 'uuid'])!,
    receiptIdForm: readReceiptIdForm(flags),
    throttle: whole(flags, 'throttle', 0, 100) ?? 0,
    rate: whole(flags, 'rate', 1, 1_000_000),
    queueFull: whole(flags, 'queueFull', 0, 100) ?? 0,
    delayMs: whole(flags, 'delay', 0, MINUTE_MS * 10) ?? 0,
    lose: whole(flags, 'lose', 0, 100) ?? 0,
    reorder: flags.reorder === true,
    duplicateAnswers: flags.duplicateAnswers === true,
    killEvery: whole(flags, 'killEvery', 1, 1_000_000_000),
    freezeAfter: whole(flags, 'freeze', 1, 1_000_000_000),
    inboundEveryMs: seconds(whole(flags, 'inboundEvery', 1, DAY_MS / 1000)),
    seed: whole(flags, 'seed', 0, 0xffffffff)!,
  }
}

const seconds = (count: number | null) => (count === null ? null : count * 1000)

/** The option's name on the command line: `receiptDelay` is `--receipt-delay`. */
function optionName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function whole(flags: Flags, name: string, min: number, max: number): number | null {
  const value = flags[name]
  if (value === undefined) return null
  const number = readWhole(optionName(name), String(value), min)
  if (number <= max) return number
  throw new UsageFailure(`${optionName(name)} must be at most ${max}, not ${number}.`)
}

function text(flags: Flags, name: string, max: number): string | null {
  const value = flags[name]
  if (value === undefined) return null
  if (/^[ -~]+$/.test(String(value)) && String(value).length <= max) return String(value)
  throw new UsageFailure(`${optionName(name)} must be 1 to ${max} ASCII characters.`)
}

function oneOf<T extends string>(flags: Flags, name: string, values: readonly T[]): T | null {
  const value = flags[name]
  if (value === undefined) return null
  const found = values.find((one) => one === value)
  if (found) return found
  throw new UsageFailure(`${optionName(name)} must be ${values.join(', ')}, not "${value}".`)
}

function readReceiptIdForm(flags: Flags): 'hex' | 'decimal' | null {
  const form = oneOf(flags, 'receiptIdForm', ['hex', 'decimal'])
  if (form === null || flags.idForm !== 'uuid') return form
  throw new UsageFailure('--receipt-id-form works only with --id-form hex or decimal.')
}

function readTls(flags: Flags): (SmscOptions['tls'] & object) | null {
  const { tlsCert, tlsKey } = flags
  if (tlsCert === undefined && tlsKey === undefined) return null
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageFailure('Use --tls-cert and --tls-key together.')
  }
  return { cert: readPem('--tls-cert', String(tlsCert)), key: readPem('--tls-key', String(tlsKey)) }
}

function readPem(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageFailure(
      `${name}: cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
