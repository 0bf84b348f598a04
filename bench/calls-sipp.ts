// SIPp, an independent program, as the caller: a fixed number of calls per second for some seconds, each an INVITE, a
// response, and an ACK. It repeats requests without a response, like every caller.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { numberOf } from './calls-invites.js'

const HEADERS = (cseq: string, to: string, more: string[]) => [
  'Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]',
  'From: <sip:+12125550100@[local_ip]:[local_port]>;tag=[call_number]',
  `To: <sip:[service]@[remote_ip]>${to}`,
  'Call-ID: [call_id]',
  `CSeq: 1 ${cseq}`,
  'Max-Forwards: 70',
  ...more,
  'Content-Length: 0',
]
const message = (method: string, to = '', more: string[] = []) =>
  `<![CDATA[\n\n${method} sip:[service]@[remote_ip]:[remote_port] SIP/2.0\n${HEADERS(method, to, more).join('\n')}\n\n]]>`

const SCENARIO = `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="redirected">
  <send retrans="500" start_rtd="1">${message('INVITE', '', ['Contact: <sip:+12125550100@[local_ip]:[local_port]>'])}</send>
  <recv response="302" rtd="1"></recv>
  <send>${message('ACK', '[peer_tag_param]')}</send>
</scenario>
`

export interface SippResult {
  calls: number
  lost: number
  resent: number
  medianMs: number
}

/** Null if it is not installed. */
export async function measureSipp(
  port: number,
  perSecond: number,
  seconds: number,
): Promise<SippResult | null> {
  if (spawnSync('sipp', ['-v']).error) return null
  const folder = mkdtempSync(path.join(tmpdir(), 'longcode-sipp-'))
  try {
    writeFileSync(path.join(folder, 'redirected.xml'), SCENARIO)
    const calls = perSecond * seconds
    const child = spawn(
      'sipp',
      [
        ...['-sf', 'redirected.xml', '-s', numberOf(42), '-i', '127.0.0.1', '-nostdin'],
        ...['-r', String(perSecond), '-m', String(calls), '-l', String(calls), '-timeout', '60s'],
        ...['-trace_stat', '-stf', 'stat.csv', '-trace_rtt', '-rtt_freq', '1'],
        `127.0.0.1:${port}`,
      ],
      { cwd: folder, stdio: 'ignore' },
    )
    await once(child, 'exit')
    return readResults(folder, calls)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readResults(folder: string, calls: number): SippResult {
  const [names = '', ...rows] = linesOf(path.join(folder, 'stat.csv'))
  const last = rows.at(-1)?.split(';') ?? []
  const of = (name: string) => Number(last[names.split(';').indexOf(name)])
  const rttFile = readdirSync(folder).find((name) => name.endsWith('_rtt.csv'))!
  const times = linesOf(path.join(folder, rttFile))
    .slice(1)
    .map((line) => Number(line.split(';')[1]))
    .sort((a, b) => a - b)
  return {
    calls,
    lost: calls - of('SuccessfulCall(C)'),
    resent: of('Retransmissions(C)'),
    medianMs: times[times.length >> 1] ?? Number.NaN,
  }
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'latin1').trim().split('\n')
}
