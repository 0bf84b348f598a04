// Runs SIPp, an independent caller and callee, with a scenario to its end: the number of successful calls and
// retransmissions, and every message sent and received. If a call fails, the error shows what SIPp saw.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../../free-port.js'
import { type PeerProcess, privateFolder, startPeer, succeeds } from '../peer-process.js'

export const hasSipp = succeeds('sh', ['-c', 'command -v sipp'])
export const NO_SIPP = 'SIPp is not installed: apt-get install sip-tester'

/** Longer than anything should take, including all retransmissions. */
const LIMIT_SECONDS = 300
/** Retransmissions of one message, instead of SIPp's five: the time limit is enough. */
const RETRANSMISSIONS = 100
const SIMULTANEOUS_MAX = 1_000
const SHOWN_LINES = 40
const SHOWN_BYTES = 4_000
const [MESSAGES, ERRORS, COUNTS] = ['messages.log', 'errors.log', 'counts.csv']

export interface SippSettings {
  scenario: string
  /** The port it calls, or null for a callee. */
  port: number | null
  transport?: 'udp' | 'tcp'
  calls?: number
  callsPerSecond?: number
  /** The address it calls from. */
  address?: string
  ownPort?: number
  args?: readonly string[]
}

export interface SippResult {
  passed: number
  failed: number
  repetitions: number
  /** In order of arrival. */
  received: string[]
  sent: string[]
}

export interface Sipp extends PeerProcess {
  /** Waits for the end. Rejects if a call failed. */
  result: () => Promise<SippResult>
  /** Waits for the end, whatever the result. */
  ended: () => Promise<SippResult>
}

/** Every call must succeed. */
export async function runSipp(t: TestContext, settings: SippSettings): Promise<SippResult> {
  return (await startSipp(t, settings)).result()
}

export async function startSipp(t: TestContext, settings: SippSettings): Promise<Sipp> {
  const folder = privateFolder(t)
  const ownPort = settings.ownPort ?? (await freePort())
  writeFileSync(path.join(folder, 'scenario.xml'), settings.scenario)
  const peer = startPeer(t, 'sipp', argumentsOf(settings, ownPort), folder)
  const exit = new Promise<number | null>((resolve) => peer.child.once('close', resolve))
  const ended = async () => {
    await exit
    return readResult(folder)
  }
  const result = async () => {
    const found = await ended()
    const { passed, failed } = found
    if (passed === (settings.calls ?? 1) && failed === 0 && (await exit) === 0) return found
    throw new Error(
      `SIPp: ${passed} calls passed, ${failed} failed, exit ${await exit}\n${evidenceOf(folder, peer)}`,
    )
  }
  return { ...peer, result, ended }
}

function argumentsOf(settings: SippSettings, ownPort: number): string[] {
  const { port, transport = 'udp', calls = 1, callsPerSecond = 50 } = settings
  const repetitions = String(RETRANSMISSIONS)
  return [
    ...(port === null ? [] : [`127.0.0.1:${port}`]),
    ...['-sf', 'scenario.xml', '-nostdin', '-t', transport === 'tcp' ? 't1' : 'u1'],
    ...['-i', settings.address ?? '127.0.0.1', '-p', String(ownPort), '-bind_local'],
    ...['-m', String(calls), '-r', String(callsPerSecond), '-l', String(SIMULTANEOUS_MAX)],
    ...['-max_retrans', repetitions, '-max_invite_retrans', repetitions],
    ...['-max_non_invite_retrans', repetitions],
    // Its watchdog would end it on a busy machine.
    ...['-timeout', `${LIMIT_SECONDS}s`, '-timeout_error', '-watchdog_interval', '0'],
    ...['-trace_msg', '-message_file', MESSAGES, '-trace_err', '-error_file', ERRORS],
    ...['-trace_stat', '-stf', COUNTS],
    // A retransmission after the end of a call does not belong to another call.
    ...['-deadcall_wait', '60000'],
    ...(settings.args ?? []),
  ]
}

function readResult(folder: string): SippResult {
  const [names = '', ...rows] = readIn(folder, COUNTS).trimEnd().split('\n')
  const values = rows.at(-1)?.split(';') ?? []
  const countOf = (name: string) => Number(values[names.split(';').indexOf(name)] ?? 0)
  const messages = readMessages(readIn(folder, MESSAGES))
  return {
    passed: countOf('SuccessfulCall(C)'),
    failed: countOf('FailedCall(C)'),
    repetitions: countOf('Retransmissions(C)'),
    received: messages.filter(({ way }) => way === 'received').map(({ text }) => text),
    sent: messages.filter(({ way }) => way === 'sent').map(({ text }) => text),
  }
}

function readMessages(trace: string): { way: string; text: string }[] {
  return trace.split(/^-{20,} .*\n/m).flatMap((entry) => {
    const [, way, text] = /^\w+ message (sent|received) [^\n]*\n\n(.*)$/s.exec(entry) ?? []
    return way === undefined ? [] : [{ way, text: text!.trimEnd() }]
  })
}

function evidenceOf(folder: string, { output }: PeerProcess): string {
  const trace = readIn(folder, MESSAGES).split('\n')
  return [
    readIn(folder, ERRORS).slice(0, SHOWN_BYTES) || output().slice(-SHOWN_BYTES),
    ...['its last messages:', ...trace.slice(-SHOWN_LINES)],
  ].join('\n')
}

/** Empty if the file was not written. */
function readIn(folder: string, name: string): string {
  const file = path.join(folder, name)
  return existsSync(file) ? readFileSync(file, 'latin1') : ''
}
