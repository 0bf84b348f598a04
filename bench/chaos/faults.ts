// `npm run chaos`: a cluster of Longcode nodes under load, while nodes are randomly killed and frozen, the database
// crashes, and networks are cut. A judge compares what everyone saw, meanwhile and after all work has finished.

import type { Cluster } from './cluster.js'
import { USUAL_FAULTS } from './injector.js'
import type { Journal } from './journal.js'
import type { Losses } from './judge/judge.js'
import type { ChaosOptions } from './options.js'
import type { Running } from './running.js'
import { tableOf } from './table.js'
import { type Outcome, runTrial } from './trial.js'

const SHOWN_MAX = 5
const NODES = 4
const WATCH_EVERY_MS = 10_000
const STEP_MS_MAX = 12_000
/** Longer than a lease, a limit per minute, and a delay of five minutes. */
const STALL_MS_MAX = 6 * 60_000

export async function runFaults(options: ChaosOptions, running: Running): Promise<boolean> {
  const { seed, minutes, rate, database } = options
  const startedAt = Date.now()
  const say = (line: string) =>
    console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`)
  console.log(`chaos for ${minutes} min, ${rate} messages a second; to repeat: --seed ${seed}`)
  const outcome = await runTrial(
    {
      ...{ seed, minutes, rate, database, say, program: 'dist/main.js' },
      ...{ nodes: NODES, faults: USUAL_FAULTS, acceptedMin: 0 },
      ...{ calm: { stepMsMax: STEP_MS_MAX, stallMsMax: STALL_MS_MAX }, until: null },
      watchEveryMs: database === null ? WATCH_EVERY_MS : null,
    },
    running,
  )
  console.log('')
  for (const line of tableOf(rowsOf(outcome))) console.log(line)
  return report(outcome.losses)
}

function rowsOf(outcome: Outcome): (readonly [string, string | number])[] {
  const { cluster, journal, injector, replayed, facts, taken, losses } = outcome
  const repeats = cluster.receivers.reduce((sum, receiver) => sum + receiver.repeats, 0)
  return [
    ...toldRows(journal),
    ['keys retried, same response', replayed],
    ...[...injector.counts].map(([name, count]) => [`fault: ${name}`, count] as const),
    ['nodes that exited (database down at startup)', exits(cluster)],
    ['messages in the database', facts.messages.length],
    ['accepted by the carriers', taken.length],
    ['  of these over HTTP', takenOverHttp(cluster)],
    ['  receipts acknowledged', taken.filter(({ receipt }) => receipt !== null).length],
    ['refused by the carriers', refusedBy(cluster)],
    ['by the simulator', facts.messages.filter(({ peer }) => peer.startsWith('+1206')).length],
    ['unknown outcomes', countWith(facts.messages, 'unknown')],
    ['  matched to a receipt', countWith(facts.messages, 'matched')],
    ['  absent from the carrier and sent again', countWith(facts.messages, 'absent')],
    ['  sent again, as the link allows', countWith(facts.messages, 'repeated')],
    ['  settled without evidence and refunded', countWith(facts.messages, 'settled')],
    ['  charged again after a late receipt', countWith(facts.messages, 'recharged')],
    ['failed at T-Mobile’s cap', facts.messages.filter((one) => one.errorCode === 1320).length],
    ['expired', facts.messages.filter(({ status }) => status === 'EXPIRED').length],
    ['events', facts.events.length],
    ['webhooks redelivered', repeats],
    ...[...losses].map(([name, cases]) => [`LOSS? ${name}`, cases.length] as const),
  ]
}

function takenOverHttp({ carriers }: Cluster): number {
  return carriers.find(({ name }) => name === 'http')!.taken.length
}

function refusedBy({ carriers }: Cluster): number {
  return carriers.reduce((sum, { refused }) => sum + refused.length, 0)
}

function toldRows(journal: Journal): [string, number][] {
  const answers = [...journal.answers].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    ['messages requested', journal.wanted.length],
    ['accepted', journal.count(({ answer }) => answer === 'accepted')],
    [
      '  scheduled',
      journal.count((one) => one.answer === 'accepted' && one.scheduledAtMs !== null),
    ],
    ['  canceled', journal.count(({ cancel }) => cancel === 'confirmed')],
    ['refused permanently', journal.count(({ answer }) => answer === 'refused')],
    ['never answered, no key', journal.count(({ answer }) => answer === 'open')],
    ['requests without a response', journal.silent],
    ...answers.map(([name, count]): [string, number] => [`answered ${name}`, count]),
    ['phones that sent STOP', journal.stopped.length],
    ['texts from phones', journal.inbound.length],
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
