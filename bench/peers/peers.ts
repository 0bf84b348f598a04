// Longcode and Kannel in alternating rounds, with the same clients, connections, and SMPP server as the carrier. It
// measures what each accepts over HTTP while the carrier is unavailable, what reaches the carrier while all clients
// send, latency at a pace that both sustain, memory, and what survives kill -9. The main result compares with the
// Kannel setup that gives the same guarantee as Longcode: no accepted message is lost in a power failure. Setups with
// weaker guarantees are printed as well.

import { hasKannel, NO_KANNEL } from '../../test/peers/kannel.js'
import { median } from '../accept.js'
import { cpuUs } from '../stage.js'
import { type BenchCarrier, startCarrier } from './carrier.js'
import { nowMs, type Sent, startClients } from './clients.js'
import { type Contender, memoryMb } from './contender.js'
import { canSync, openKannel, type Store } from './kannel.js'
import { losesAfterKill } from './kill.js'
import { openLongcode } from './longcode.js'

const ROUNDS = 3
const CONNECTIONS = 64
const WARM_UP_S = 1
const MEASURED_S = 3
const PACE = 300
const PACED_S = 3
const DRAIN_MS_MAX = 60_000

/** The results of one round. */
interface Turn {
  accepted: number
  carried: number
  acceptMs: number[]
  pacedAcceptMs: number[]
  pacedCarrierMs: number[]
  cpuUs: number
  refused: number
  missing: number
}

interface Entry {
  contender: Contender
  carrier: BenchCarrier
  turns: Turn[]
  nextSerial: number
}

export async function run() {
  if (!hasKannel) return { skipped: `peers: skipped, since ${NO_KANNEL}` }
  const stores: Store[] = [...(canSync() ? ['synced file' as const] : []), 'file', 'spool']
  const entries = [await enter((port) => openLongcode(port))]
  for (const store of stores) entries.push(await enter((port) => openKannel(store, port)))
  for (const entry of entries) await takeTurn(entry) // warm-up
  for (const entry of entries) entry.turns = []
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const entry of entries) entry.turns.push(await takeTurn(entry))
  }
  const lines = [
    `${CONNECTIONS} connections for ${MEASURED_S} s, ${ROUNDS} alternating rounds; the carrier's window is 500`,
  ]
  if (!canSync()) lines.push('the file system takes no chattr +S: no Kannel is as durable here')
  for (const entry of entries) lines.push(...(await linesOf(entry)))
  const [ours, ...theirs] = entries as [Entry, ...Entry[]]
  const ratios = theirs.map((entry) => {
    const [accepted, carried] = [ratioOf(ours, entry, 'accepted'), ratioOf(ours, entry, 'carried')]
    lines.push(
      `relative to ${entry.contender.name}: accepted ${accepted.toFixed(2)}, carried ${carried.toFixed(2)} (target 1.00)`,
    )
    return Math.min(accepted, carried)
  })
  for (const { contender, carrier } of entries) {
    await contender.close()
    carrier.stop()
  }
  return { lines, ratio: ratios[0]! }
}

async function enter(open: (carrierPort: number) => Promise<Contender>): Promise<Entry> {
  const carrier = await startCarrier()
  return { contender: await open(carrier.port), carrier, turns: [], nextSerial: 1 }
}

async function takeTurn(entry: Entry): Promise<Turn> {
  const { contender, carrier } = entry
  carrier.setAway(true)
  const alone = await send(entry, WARM_UP_S + MEASURED_S, null)
  carrier.setAway(false)
  await drained(entry, alone.sent)
  const before = await cpuOf(contender)
  const full = await send(entry, WARM_UP_S + MEASURED_S, null)
  const fullArrivals = await drained(entry, full.sent)
  const used = (await cpuOf(contender)) - before
  const accepted = acceptedOf(alone.sent).filter(({ answeredMs }) => isWithin(answeredMs, alone))
  const carried = [...fullArrivals.values()].filter((ms) => isWithin(ms, full))
  const paced = await send(entry, PACED_S, PACE)
  const pacedArrivals = await drained(entry, paced.sent)
  const pacedAccepted = acceptedOf(paced.sent)
  return {
    accepted: accepted.length / MEASURED_S,
    carried: carried.length / MEASURED_S,
    acceptMs: accepted.map(({ sentMs, answeredMs }) => answeredMs - sentMs),
    pacedAcceptMs: pacedAccepted.map(({ sentMs, answeredMs }) => answeredMs - sentMs),
    pacedCarrierMs: pacedAccepted.map(
      ({ serial, sentMs }) => (pacedArrivals.get(serial) ?? Number.POSITIVE_INFINITY) - sentMs,
    ),
    cpuUs: used / acceptedOf(full.sent).length,
    refused: [alone, full].reduce((sum, { sent }) => sum + refusedOf(sent), 0),
    missing: acceptedOf(full.sent).filter(({ serial }) => !fullArrivals.has(serial)).length,
  }
}

/** Measured, without the warm-up. */
function isWithin(ms: number, { beganMs }: { beganMs: number }): boolean {
  const fromMs = beganMs + WARM_UP_S * 1000
  return ms >= fromMs && ms < fromMs + MEASURED_S * 1000
}

async function send(entry: Entry, seconds: number, pace: number | null) {
  const clients = await startClients({
    port: entry.contender.port(),
    request: entry.contender.request,
    firstSerial: entry.nextSerial,
    connections: CONNECTIONS,
    seconds,
    pace,
  })
  const sent = await clients.sent
  entry.nextSerial += sent.serials.length + CONNECTIONS // and requests without a response
  return { beganMs: clients.beganMs, sent }
}

function refusedOf({ isAccepted }: Sent): number {
  return isAccepted.filter((one) => one === 0).length
}

function acceptedOf({ serials, sentMs, answeredMs, isAccepted }: Sent) {
  return [...serials]
    .map((serial, i) => ({
      serial,
      sentMs: sentMs[i]!,
      answeredMs: answeredMs[i]!,
      isAccepted: isAccepted[i] === 1,
    }))
    .filter((one) => one.isAccepted)
}

/** When each message reached the carrier, after all accepted ones have or no more arrive. */
async function drained({ carrier }: Entry, sent: Sent): Promise<Map<number, number>> {
  const arrivals = new Map<number, number>()
  const accepted = acceptedOf(sent)
  const giveUpAt = nowMs() + DRAIN_MS_MAX
  for (;;) {
    const { serials, arrivedMs } = await carrier.take()
    for (const [i, serial] of serials.entries()) arrivals.set(serial, arrivedMs[i]!)
    if (accepted.every(({ serial }) => arrivals.has(serial)) || nowMs() > giveUpAt) return arrivals
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function cpuOf(contender: Contender): Promise<number> {
  return (await contender.pids()).reduce((sum, pid) => sum + cpuUs(pid), 0)
}

async function linesOf(entry: Entry): Promise<string[]> {
  const { contender, turns } = entry
  const rates = (figure: 'accepted' | 'carried') =>
    turns.map((turn) => Math.round(turn[figure])).join(' ')
  const sum = (figure: 'refused' | 'missing') =>
    turns.reduce((total, turn) => total + turn[figure], 0)
  const memory = memoryMb(await contender.pids())
  return [
    `${contender.name}: ${contender.storage}`,
    `  accepted    ${rates('accepted')} a second, ${latency(turns, 'acceptMs')}; ${sum('refused')} refused`,
    `  carried     ${rates('carried')} a second; ${sum('missing')} missing`,
    `  at ${PACE}/s    accepted in ${latency(turns, 'pacedAcceptMs')}; at the carrier in ${latency(turns, 'pacedCarrierMs')}`,
    `  cost        ${Math.round(median(turns.map((turn) => turn.cpuUs)))} µs CPU per message, ${memory} MB, all processes`,
    `  kill -9     ${await losesAfterKill(entry)}`,
  ]
}

function latency(turns: readonly Turn[], key: 'acceptMs' | 'pacedAcceptMs' | 'pacedCarrierMs') {
  const all = turns.flatMap((turn) => turn[key]).sort((a, b) => a - b)
  const at = (share: number) => (all[Math.floor(all.length * share)] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

function ratioOf(ours: Entry, theirs: Entry, figure: 'accepted' | 'carried'): number {
  return median(ours.turns.map((turn, i) => turn[figure] / theirs.turns[i]![figure]))
}
