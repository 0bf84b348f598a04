// The cost of a redirected call: CPU time for an INVITE and its 302, relative to echoing a datagram of the same size.
// Both servers run in separate processes under the same load, in alternating rounds. The result is the worse of a
// minimal and a typical INVITE, each as the median of its rounds. Then SIPp makes 500 calls per second.

import { median } from './accept.js'
import { INVITES, type InviteKind } from './calls-invites.js'
import {
  type Caller,
  type CallsServer,
  NUMBERS,
  startCaller,
  startCallsServer,
} from './calls-peer.js'
import { measureSipp } from './calls-sipp.js'

const ROUNDS = 5
const CALLS = 6_000
const WARM_UP_CALLS = 12_000
const SIPP_PER_SECOND = 500
const SIPP_SECONDS = 10
const MB = 1024 * 1024

export async function run() {
  const [redirects, echo] = [await startCallsServer('redirects'), await startCallsServer('echo')]
  const caller = await startCaller()
  try {
    const small = await measureKind(caller, redirects, echo, 'small')
    const large = await measureKind(caller, redirects, echo, 'large')
    const { tableBytes, grownBytes, rssBytes } = await redirects.state()
    const mb = (bytes: number) => (bytes / MB).toFixed(1)
    return {
      lines: [
        ...small.lines,
        ...large.lines,
        `${NUMBERS.toLocaleString('en-US')} numbers: ${mb(tableBytes)} MB, the process grew by ${mb(grownBytes)} MB (target 60), ${mb(rssBytes)} MB after all calls`,
        await sippLine(redirects.port),
      ],
      ratio: Math.min(small.ratio, large.ratio),
    }
  } finally {
    for (const process of [redirects, echo, caller]) process.stop()
  }
}

async function measureKind(
  caller: Caller,
  redirects: CallsServer,
  echo: CallsServer,
  kind: InviteKind,
) {
  for (const server of [redirects, echo]) await caller.call(server.port, kind, WARM_UP_CALLS)
  const [ours, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await microsPerCall(caller, echo, kind))
    ours.push(await microsPerCall(caller, redirects, kind))
  }
  const ratios = ours.map((micros, i) => bare[i]! / micros)
  const list = (values: readonly number[], digits: number) =>
    values.map((value) => value.toFixed(digits)).join(' ')
  const perSecond = Math.round(1_000_000 / median(ours)).toLocaleString('en-US')
  return {
    ratio: median(ratios),
    lines: [
      `INVITE of ${INVITES[kind].bytes.length} bytes`,
      `  echoed             ${list(bare, 1)} µs CPU`,
      `  redirected         ${list(ours, 1)} µs CPU: ${perSecond} redirects per CPU second`,
      `  ratios             ${list(ratios, 2)} (target 0.40)`,
    ],
  }
}

async function microsPerCall(
  caller: Caller,
  server: CallsServer,
  kind: InviteKind,
): Promise<number> {
  const before = await server.state()
  const lost = await caller.call(server.port, kind, CALLS)
  const after = await server.state()
  return (after.cpuUs - before.cpuUs) / (CALLS + lost)
}

async function sippLine(port: number): Promise<string> {
  const result = await measureSipp(port, SIPP_PER_SECOND, SIPP_SECONDS)
  if (result === null) return 'SIPp is not installed: apt-get install sip-tester'
  const { calls, lost, resent, medianMs } = result
  return `SIPp, ${SIPP_PER_SECOND} calls a second for ${SIPP_SECONDS} s: ${lost} of ${calls} lost, ${resent} retransmitted, median ${medianMs < 1 ? 'below 1' : medianMs} ms (target 5)`
}
