// `npm run chaos`: a cluster of Longcode nodes under load, while nodes are randomly killed and frozen, the database
// crashes, and networks are cut. Then the run waits until all work has finished and checks the result.

import { setTimeout as sleep } from 'node:timers/promises'
import { calmDown, replayKeys } from './calm.js'
import { startClients } from './clients.js'
import { Cluster } from './cluster.js'
import { readFacts } from './facts.js'
import { Injector } from './injector.js'
import { Journal } from './journal.js'
import { judge, type Losses } from './judge/judge.js'
import { STILL_SENT } from './judge/judge-evidence.js'
import type { ChaosOptions } from './options.js'
import { startPhones } from './phones.js'
import type { Running } from './running.js'
import { tableOf } from './table.js'

const SAY_EVERY_MS = 5_000
/** Time for the last responses after all faults are over. */
const ANSWERS_MS_MAX = 5 * 60_000
const SHOWN_MAX = 5
const RECEIPTS_MS_MAX = 20_000
const POLL_EVERY_MS = 2_000

export async function runFaults(options: ChaosOptions, running: Running): Promise<boolean> {
  const { seed, minutes, rate } = options
  const startedAt = Date.now()
  const say = (line: string) =>
    console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`)
  console.log(`chaos for ${minutes} min, ${rate} messages a second; to repeat: --seed ${seed}`)
  const cluster = new Cluster()
  running.folder = cluster.folder
  running.closers.push((keepsFolder) => cluster.close(keepsFolder))
  await cluster.start(seed, options.database)
  say(`${cluster.nodes.length} nodes are up`)
  const journal = new Journal()
  const injector = new Injector(cluster, seed)
  await underFaults({ cluster, journal, injector, options, say })
  say('all faults are over')
  const replayed = await replayKeys(cluster, journal, seed)
  await calmDown(cluster, say)
  const { facts, taken, losses } = await judgeAtRest(cluster, journal)
  const repeats = cluster.receivers.reduce((sum, receiver) => sum + receiver.repeats, 0)
  console.log('')
  for (const line of tableOf([
    ...toldRows(journal),
    ['keys retried, same response', replayed],
    ...[...injector.counts].map(([name, count]) => [`fault: ${name}`, count] as const),
    ['nodes that exited (database down at startup)', exits(cluster)],
    ['messages in the database', facts.messages.length],
    ['accepted by the carriers', taken.length],
    ['  of these over HTTP', takenOverHttp(cluster)],
    ['  receipts acknowledged', taken.filter(({ receipt }) => receipt !== null).length],
    ['unknown outcomes', countWith(facts.messages, 'unknown')],
    ['  matched to a receipt', countWith(facts.messages, 'matched')],
    ['  absent from the carrier and sent again', countWith(facts.messages, 'absent')],
    ['  sent again, as the link allows', countWith(facts.messages, 'repeated')],
    ['  settled without evidence and refunded', countWith(facts.messages, 'settled')],
    ['  charged again after a late receipt', countWith(facts.messages, 'recharged')],
    ['failed at T-Mobile’s cap', facts.messages.filter((one) => one.errorCode === 1320).length],
    ['events', facts.events.length],
    ['webhooks redelivered', repeats],
    ...[...losses].map(([name, cases]) => [`LOSS? ${name}`, cases.length] as const),
  ])) {
    console.log(line)
  }
  return report(losses)
}

/** Receipts that waited for an id take a moment longer than the rest. */
async function judgeAtRest({ database, carriers }: Cluster, journal: Journal) {
  for (const untilMs = Date.now() + RECEIPTS_MS_MAX; ; await sleep(POLL_EVERY_MS)) {
    const facts = await readFacts(database.db)
    const taken = carriers.flatMap((carrier) => carrier.taken)
    const fragments = carriers.flatMap((carrier) => carrier.fragments)
    const losses = judge({ journal, facts, taken, fragments })
    if (losses.get(STILL_SENT)!.length === 0 || Date.now() > untilMs)
      return { facts, taken, losses }
  }
}

function takenOverHttp({ carriers }: Cluster): number {
  return carriers.find(({ name }) => name === 'http')!.taken.length
}

interface Stage {
  cluster: Cluster
  journal: Journal
  injector: Injector
  options: ChaosOptions
  say: (line: string) => void
}

async function underFaults({ cluster, journal, injector, options, say }: Stage): Promise<void> {
  const { seed, minutes, rate } = options
  const crowd = { customers: cluster.customers, nodes: cluster.nodes, journal }
  const clients = startClients(crowd, seed, rate)
  const phones = startPhones(crowd, cluster.carriers, seed)
  for (const receiver of cluster.receivers) receiver.isMoody = true
  injector.start()
  const untilMs = Date.now() + minutes * 60_000
  while (Date.now() < untilMs) {
    await sleep(Math.min(SAY_EVERY_MS, Math.max(0, untilMs - Date.now())))
    injector.assertHealed()
    const accepted = journal.count(({ answer }) => answer === 'accepted')
    const taken = cluster.carriers.reduce((sum, carrier) => sum + carrier.taken.length, 0)
    say(`${accepted} accepted, ${taken} at the carriers, ${injector.total} faults`)
  }
  await injector.end()
  for (const receiver of cluster.receivers) receiver.isMoody = false
  await cluster.untilUp()
  const answered = Promise.all([clients.end(), phones.end()])
  await Promise.race([answered, sleep(ANSWERS_MS_MAX, null, { ref: false })])
}

function toldRows(journal: Journal): [string, number][] {
  const answers = [...journal.answers].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    ['messages requested', journal.wanted.length],
    ['accepted', journal.count(({ answer }) => answer === 'accepted')],
    ['refused permanently', journal.count(({ answer }) => answer === 'refused')],
    ['never answered, no key', journal.count(({ answer }) => answer === 'open')],
    ['requests without a response', journal.silent],
    ...answers.map(([name, count]): [string, number] => [`answered ${name}`, count]),
    ['phones that sent STOP', journal.stopped.length],
    ['replies from phones', journal.inbound.length],
  ]
}

function exits({ nodes }: Cluster): number {
  return nodes.reduce((sum, node) => sum + node.exits, 0)
}

function countWith(messages: readonly { timeline: readonly string[] }[], kind: string): number {
  return messages.filter(({ timeline }) => timeline.includes(kind)).length
}

/** Whether nothing was lost. */
function report(losses: Losses): boolean {
  const found = [...losses].filter(([, cases]) => cases.length > 0)
  for (const [name, cases] of found) {
    console.log(`\n${name}: ${cases.length}`)
    for (const one of cases.slice(0, SHOWN_MAX)) console.log(`  ${one}`)
  }
  console.log(found.length === 0 ? '\nchaos: nothing was lost' : '\nchaos: LOSSES')
  return found.length === 0
}
