// `longcode smsc`: an SMSC of one's own, for whoever wants to see Longcode at work without a carrier. What it
// takes is shown as it comes; lines that are typed come to Longcode as messages of phones.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import type { InboundText } from '../smsc/inbound.js'
import type { Smsc } from '../smsc/smsc.js'
import type { SmscOptions } from '../smsc/smsc-options.js'
import { action, examples, readWhole } from './command.js'
import { CommandFailure, UsageFailure } from './failure.js'
import type { Output } from './output.js'

type Given = Record<string, string | boolean | undefined>

const PORT_MAX = 65_535
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const AFTER = `${examples(
  'smsc',
  'smsc --port 2776 --system-id me --password secret --receipts mix',
  'smsc --throttle 10 --lose 1 --kill-every 1000 --seed 7',
)}

Every message is shown once, put together from its parts. To send one as a phone, type: FROM TO TEXT, such as
  +14155550199 +14155550100 Hello
Long texts and any script come as parts. Recipients in 555-01xx are magic, as in the sandbox.
Faults are drawn by chance, of which the same seed brings the same. Ends with Ctrl-C.
Nothing is kept: what it has taken is gone when it ends.`

export function addSmscCommand(program: Command): void {
  program
    .command('smsc')
    .description('run an SMSC to try SMPP without a carrier')
    .option('--port <port>', 'where it listens (0: any that is free)', '2775')
    .option('--host <address>', 'at which address of this machine', '127.0.0.1')
    .option('--system-id <name>', 'who may bind (default: anybody)')
    .option('--password <password>', 'with which password (default: any)')
    .option('--tls-cert <file>', 'certificate in PEM: connections are by TLS')
    .option('--tls-key <file>', 'its key in PEM')
    .option('--receipts <kind>', 'delivered, failed, none, or a mix', 'delivered')
    .option('--receipt-delay <ms>', 'how long until a receipt comes', '1000')
    .option('--receipt-dialect <kind>', 'text, tlv, or both', 'both')
    .option('--id-form <form>', 'how it writes message ids: hex, decimal, uuid', 'hex')
    .option('--receipt-id-form <form>', 'how in receipts: hex, decimal (default: the same)')
    .option('--throttle <percent>', 'of submits are refused with ESME_RTHROTTLED')
    .option('--rate <number>', 'submits a second; more are refused with ESME_RTHROTTLED')
    .option('--queue-full <percent>', 'of submits are refused with ESME_RMSGQFUL')
    .option('--delay <ms>', 'how long an answer takes')
    .option('--lose <percent>', 'of submits are taken and never answered')
    .option('--reorder', 'answers in another order than the submits')
    .option('--duplicate-answers', 'answers everything twice')
    .option('--kill-every <number>', 'cuts a connection after so many submits')
    .option('--freeze <number>', 'lets a connection hang open after so many submits')
    .option('--inbound-every <seconds>', 'answers the last message so often, as its phone')
    .option('--seed <number>', 'of chance', '1')
    .addHelpText('after', AFTER)
    .action(action(runSmsc))
}

async function runSmsc(out: Output, given: Given): Promise<void> {
  const options = readOptions(given)
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
  await showStart(out, smsc, options, given)
  const lines = await readLines(out, smsc)
  await ended
  lines.close()
  await smsc.stop()
}

async function showStart(
  out: Output,
  smsc: Smsc,
  options: ReadOptions,
  given: Given,
): Promise<void> {
  const { carriersLines } = await import('../smsc/carriers-lines.js')
  const { host } = options
  const caFile = given.tlsCert === undefined ? null : String(given.tlsCert)
  const at = `${host.includes(':') ? `[${host}]` : host}:${smsc.port}`
  out.note(`An SMSC listens at ${at}${options.tls ? ', by TLS' : ''}. Nothing it takes is kept.`)
  out.note('To connect Longcode, write this to carriers.yaml and start it with')
  out.note('LONGCODE_CARRIERS=carriers.yaml:')
  out.note('')
  for (const line of carriersLines(options, { host, port: smsc.port, caFile })) out.note(line)
  out.note('')
  out.note('To send a message as a phone, type: FROM TO TEXT')
}

/** Where nobody types, such as in the background, it runs all the same. */
async function readLines(out: Output, smsc: Smsc): Promise<{ close: () => void }> {
  const { readTypedLine } = await import('../smsc/inbound.js')
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    if (line.trim() === '') return
    const read = readTypedLine(line)
    if ('problem' in read) out.note(read.problem)
    else void sendTyped(out, smsc, read.message) // it never rejects: it says what became of it
  })
  return {
    close: () => {
      lines.close()
      process.stdin.destroy() // it may be a terminal, a pipe, or a file such as /dev/null
    },
  }
}

async function sendTyped(out: Output, smsc: Smsc, message: InboundText): Promise<void> {
  const { from, to } = message
  if (smsc.binds.every(({ as }) => as === 'bind_transmitter')) {
    out.note('Nobody is bound who receives: it is kept until somebody is.')
  }
  const isTaken = await smsc.sendInbound(message)
  out.note(`${from} → ${to}: ${isTaken ? 'taken' : 'refused, or never acknowledged'}.`)
}

function explainListen(error: NodeJS.ErrnoException, { host, port }: ReadOptions): Error {
  const at = `--host ${host} --port ${port}`
  if (error.code === 'EADDRINUSE') {
    return new CommandFailure(`${at}: another program listens there. Choose another --port.`)
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EACCES' || error.code === 'ENOTFOUND') {
    return new CommandFailure(`${at}: this machine cannot listen there (${error.code}).`)
  }
  const isTls = error.code?.startsWith('ERR_OSSL') || error.code?.startsWith('ERR_SSL')
  return isTls ? new CommandFailure(`--tls-cert, --tls-key: ${error.message}.`) : error
}

type ReadOptions = SmscOptions &
  Required<Pick<SmscOptions, 'host' | 'port' | 'systemId' | 'password' | 'tls'>>

function readOptions(given: Given): ReadOptions {
  return {
    host: String(given.host),
    port: whole(given, 'port', 0, PORT_MAX)!,
    tls: readTls(given),
    systemId: text(given, 'systemId', 64),
    password: text(given, 'password', 64),
    receipts: oneOf(given, 'receipts', ['delivered', 'failed', 'none', 'mix'])!,
    receiptDelayMs: whole(given, 'receiptDelay', 0, DAY_MS)!,
    receiptDialect: oneOf(given, 'receiptDialect', ['text', 'tlv', 'both'])!,
    idForm: oneOf(given, 'idForm', ['hex', 'decimal', 'uuid'])!,
    receiptIdForm: readReceiptIdForm(given),
    throttle: whole(given, 'throttle', 0, 100) ?? 0,
    rate: whole(given, 'rate', 1, 1_000_000),
    queueFull: whole(given, 'queueFull', 0, 100) ?? 0,
    delayMs: whole(given, 'delay', 0, MINUTE_MS * 10) ?? 0,
    lose: whole(given, 'lose', 0, 100) ?? 0,
    reorder: given.reorder === true,
    duplicateAnswers: given.duplicateAnswers === true,
    killEvery: whole(given, 'killEvery', 1, 1_000_000_000),
    freezeAfter: whole(given, 'freeze', 1, 1_000_000_000),
    inboundEveryMs: seconds(whole(given, 'inboundEvery', 1, DAY_MS / 1000)),
    seed: whole(given, 'seed', 0, 0xffffffff)!,
  }
}

const seconds = (count: number | null) => (count === null ? null : count * 1000)

/** As it is typed: `receiptDelay` is `--receipt-delay`. */
function optionName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

function whole(given: Given, name: string, min: number, max: number): number | null {
  const value = given[name]
  if (value === undefined) return null
  const number = readWhole(optionName(name), String(value), min)
  if (number <= max) return number
  throw new UsageFailure(`${optionName(name)} must be at most ${max}, not ${number}.`)
}

function text(given: Given, name: string, max: number): string | null {
  const value = given[name]
  if (value === undefined) return null
  if (/^[ -~]+$/.test(String(value)) && String(value).length <= max) return String(value)
  throw new UsageFailure(`${optionName(name)} must be 1 to ${max} characters of ASCII.`)
}

function oneOf<T extends string>(given: Given, name: string, values: readonly T[]): T | null {
  const value = given[name]
  if (value === undefined) return null
  const found = values.find((one) => one === value)
  if (found) return found
  throw new UsageFailure(`${optionName(name)} must be ${values.join(', ')}, not "${value}".`)
}

function readReceiptIdForm(given: Given): 'hex' | 'decimal' | null {
  const form = oneOf(given, 'receiptIdForm', ['hex', 'decimal'])
  if (form === null || given.idForm !== 'uuid') return form
  throw new UsageFailure(
    '--receipt-id-form goes with --id-form hex or decimal: a UUID is no number.',
  )
}

function readTls(given: Given): (SmscOptions['tls'] & object) | null {
  const { tlsCert, tlsKey } = given
  if (tlsCert === undefined && tlsKey === undefined) return null
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageFailure('--tls-cert and --tls-key go together.')
  }
  return { cert: readPem('--tls-cert', String(tlsCert)), key: readPem('--tls-key', String(tlsKey)) }
}

function readPem(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageFailure(
      `${name}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}
