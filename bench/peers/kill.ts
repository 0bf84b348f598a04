// What survives kill -9 of every process, including the database, while clients send and the carrier is unavailable, so
// no message has left. Then the carrier comes back, everything is started again, and the messages that arrive are
// compared with those that were accepted.

import type { BenchCarrier } from './carrier.js'
import { nowMs, startClients } from './clients.js'
import type { Contender } from './contender.js'

const SENDING_S = 3
const KILL_AFTER_MS = 2_000
const QUIET_MS = 40_000
const WAIT_MS_MAX = 300_000

export interface Victim {
  contender: Contender
  carrier: BenchCarrier
  nextSerial: number
}

/** A sentence with the number of messages that arrived, were lost, and arrived twice. */
export async function losesAfterKill(victim: Victim): Promise<string> {
  const { contender, carrier } = victim
  carrier.setAway(true)
  await carrier.take()
  const clients = await startClients({
    port: contender.port(),
    request: contender.request,
    firstSerial: victim.nextSerial,
    connections: 64,
    seconds: SENDING_S,
    pace: null,
  })
  await pause(KILL_AFTER_MS)
  await contender.kill()
  const sent = await clients.sent
  const accepted = new Set([...sent.serials].filter((_, i) => sent.isAccepted[i] === 1))
  const before = await carrier.take()
  carrier.setAway(false)
  const startedMs = nowMs()
  await contender.startAgain()
  const times = await arrivalsOf(carrier, accepted)
  const seconds = Math.round((nowMs() - startedMs) / 1000)
  const came = [...accepted].filter((serial) => times.has(serial)).length
  const twice = [...times.values()].filter((count) => count > 1).length
  return (
    `of ${accepted.size - before.serials.length} accepted and not yet submitted, ${came} arrived ` +
    `within ${seconds} s of the restart, ${accepted.size - came} lost, ${twice} duplicated`
  )
}

/** How often each message arrived, after all have arrived or none has for a while. */
async function arrivalsOf(
  carrier: BenchCarrier,
  accepted: ReadonlySet<number>,
): Promise<Map<number, number>> {
  const times = new Map<number, number>()
  const giveUpAt = nowMs() + WAIT_MS_MAX
  let lastCameAt = nowMs()
  while (nowMs() < giveUpAt && nowMs() - lastCameAt < QUIET_MS) {
    const { serials } = await carrier.take()
    if (serials.length > 0) lastCameAt = nowMs()
    for (const serial of serials) times.set(serial, (times.get(serial) ?? 0) + 1)
    if ([...accepted].every((serial) => times.has(serial))) break
    await pause(200)
  }
  await pause(2_000)
  const { serials } = await carrier.take()
  for (const serial of serials) times.set(serial, (times.get(serial) ?? 0) + 1)
  return times
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
