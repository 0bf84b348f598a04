// What an SMPP link counts, and under which labels.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Clock } from '../../kit/clock.js'
import { openLog } from '../../kit/log.js'
import { Metrics } from '../../kit/metrics.js'
import { LinkMetrics, LinkTrace } from './link-metrics.js'

function open() {
  const metrics = new Metrics()
  const counted = new LinkMetrics(metrics, 'acme')
  const samples = () =>
    metrics.counters().flatMap((counter) =>
      counter
        .samples()
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => {
          const name = counter.name.replace(/^longcode_smpp_(.+)_total$/, '$1')
          return `${name} ${labels.join(' ')}: ${value}`
        }),
    )
  return { metrics, counted, samples }
}

test('each event of a link has its own counter', () => {
  const { counted, samples } = open()
  counted.connection('bound')
  counted.connection('bound')
  counted.connection('lost')
  counted.unknown('timeout')
  counted.lateAnswer()
  counted.lateAnswer()
  counted.throttled()
  counted.delivery('inbound', true)
  counted.delivery('receipt', false)
  counted.oddity('outbind')
  assert.deepEqual(samples().toSorted(), [
    'connections acme bound: 2',
    'connections acme lost: 1',
    'deliveries acme inbound accepted: 1',
    'deliveries acme receipt again: 1',
    'late_answers acme: 2',
    'throttled acme: 1',
    'unexpected acme outbind: 1',
    'unknown acme timeout: 1',
  ])
})

test('each counter has its labels, and a text that explains it', () => {
  const { metrics } = open()
  const labels = metrics.counters().map(({ name, labelNames }) => `${name}: ${labelNames.join()}`)
  assert.deepEqual(labels.toSorted(), [
    'longcode_smpp_answers_total: link,status',
    'longcode_smpp_connections_total: link,event',
    'longcode_smpp_deliveries_total: link,kind,answer',
    'longcode_smpp_late_answers_total: link',
    'longcode_smpp_throttled_total: link',
    'longcode_smpp_unexpected_total: link,kind',
    'longcode_smpp_unknown_total: link,reason',
  ])
  for (const { name, help } of metrics.counters()) assert.match(help, /^\w+(?:,? \w+){3}/, name)
})

test('a status is counted by its name, one without a name by its number, and large ones together', () => {
  const { counted, samples } = open()
  for (const status of [0, 0, 0x58, 0x456, 0xfff, 0x1000, 0x1001, 0xffffffff, 0xfff]) {
    counted.answered(status)
  }
  assert.deepEqual(samples().toSorted(), [
    'answers acme 0x456: 1',
    'answers acme 0xfff: 2',
    'answers acme ESME_ROK: 2',
    'answers acme ESME_RTHROTTLED: 1',
    'answers acme other: 3',
  ])
})

test('a trace goes to one file until it is switched to another one or off', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-trace-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const trace = new LinkTrace({ log: openLog('silent'), clock: new Clock() })
  const end = { address: '127.0.0.1', port: 1 }
  const connection = () => trace.connection(end, end)
  assert.equal(connection(), null)
  const file = path.join(folder, '{pid}-{pid}.pcap')
  await trace.switchTo(file, 1_000_000)
  const first = connection()
  assert.ok(first)
  await trace.switchTo(file, 2_000_000)
  assert.notEqual(connection(), first)
  await trace.switchTo(null, 0)
  assert.equal(connection(), null)
  await trace.switchTo(null, 0)
  const files = readdirSync(folder).filter((name) => name.endsWith('.pcap'))
  assert.deepEqual(files, [`${process.pid}-${process.pid}.pcap`])
})
