// The trace of a connection: as decoded by tshark, if installed, and its bytes.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { encodePdu } from '../pdu/encode.js'
import { makePdu } from '../pdu/pdu.js'
import { makeStandardTlv } from '../pdu/tlv.js'
import { PcapFile, type PcapOptions } from './pcap-file.js'

const LOCAL = { address: '127.0.0.1', port: 40_000 }
const REMOTE = { address: '::ffff:192.0.2.7', port: 3_600 }
const AT = new Date('2026-11-16T05:00:00.250Z')

const BIND = makePdu('bind_transceiver', 1, { systemId: 'us', password: 'hunter22' })
const SUBMIT = makePdu(
  'submit_sm',
  2,
  { sourceAddr: '1', destinationAddr: '14155550123', shortMessage: Buffer.from('Hello') },
  [makeStandardTlv('userMessageReference', 7)],
)
const ANSWER = makePdu('submit_sm_resp', 2, { messageId: 'abc-1' })

function folder(t: TestContext): string {
  const made = mkdtempSync(path.join(tmpdir(), 'longcode-trace-'))
  t.after(() => rmSync(made, { recursive: true }))
  return made
}

function open(file: string, options: Partial<PcapOptions> = {}) {
  const failures: Error[] = []
  const pcap = new PcapFile({
    file,
    maxBytes: 1024 * 1024,
    now: () => AT,
    onFailure: (error) => failures.push(error),
    ...options,
  })
  return { pcap, failures }
}

async function traced(t: TestContext): Promise<string> {
  const file = path.join(folder(t), 'link.pcap')
  const { pcap } = open(file)
  const trace = pcap.connection(LOCAL, REMOTE)
  trace.frame('sent', encodePdu(BIND))
  trace.frame('sent', encodePdu(SUBMIT))
  trace.frame('received', encodePdu(ANSWER))
  await pcap.close()
  return file
}

test('tshark decodes a trace as SMPP, with addresses, fields, and times', async (t) => {
  if (spawnSync('tshark', ['--version']).status !== 0) {
    t.skip('tshark is not installed: apt-get install tshark')
    return
  }
  const fields = ['ip.src', 'ip.dst', 'smpp.command_id', 'smpp.sequence_number', 'smpp.password']
  const more = ['smpp.message_id', 'smpp.destination_addr', 'frame.time_epoch']
  const wanted = [...fields, ...more].flatMap((field) => ['-e', field])
  const args = ['-r', await traced(t), '-Y', 'smpp', '-T', 'fields', ...wanted]
  const rows = execFileSync('tshark', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  assert.deepEqual(
    rows
      .trimEnd()
      .split('\n')
      .map((row) => row.split('\t').slice(0, 7)),
    [
      ['127.0.0.1', '192.0.2.7', '0x00000009', '1', '********', '', ''],
      ['127.0.0.1', '192.0.2.7', '0x00000004', '2', '', '', '14155550123'],
      ['192.0.2.7', '127.0.0.1', '0x80000004', '2', '', 'abc-1', ''],
    ],
  )
  assert.match(rows, /1794805200\.25/)
})

test('a trace has the transmitted bytes without passwords', async (t) => {
  const bytes = readFileSync(await traced(t))
  assert.equal(bytes.readUInt32BE(0), 0xa1b2c3d4)
  assert.equal(bytes.readUInt32BE(20), 252)
  assert.ok(!bytes.includes('hunter22'))
  assert.ok(bytes.includes(encodePdu(SUBMIT)))
  assert.ok(bytes.includes(encodePdu(ANSWER)))
  const packets: number[] = []
  for (let at = 24; at < bytes.length; at += 16 + bytes.readUInt32BE(at + 8)) packets.push(at)
  assert.equal(packets.length, 3)
})

test('a bind that cannot be decoded is traced without its body', async (t) => {
  const file = path.join(folder(t), 'link.pcap')
  const { pcap } = open(file)
  const broken = encodePdu(BIND).subarray(0, 24)
  pcap.connection(LOCAL, { address: '::1', port: 1 }).frame('received', broken)
  await pcap.close()
  const bytes = readFileSync(file)
  assert.ok(!bytes.includes('us\0'))
  assert.equal(bytes.subarray(-16).toString('hex'), '00000010000000090000000000000001')
})

test('a trace file is readable only by its owner, is limited in size, and keeps its predecessor', async (t) => {
  const where = folder(t)
  const file = path.join(where, 'link.pcap')
  const first = open(file)
  await first.pcap.close()
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const { pcap, failures } = open(file, { maxBytes: 2_000 })
  const trace = pcap.connection(LOCAL, REMOTE)
  for (let i = 0; i < 100; i++) trace.frame('sent', encodePdu(SUBMIT))
  await pcap.close()
  assert.deepEqual(readdirSync(where).sort(), ['link.pcap', 'link.pcap.1'])
  for (const name of readdirSync(where)) assert.ok(statSync(path.join(where, name)).size <= 2_000)
  assert.deepEqual(failures, [])
})

test('a trace file that cannot be written is reported once and has no other effect', async (t) => {
  const { pcap, failures } = open(path.join(folder(t), 'missing', 'link.pcap'))
  const trace = pcap.connection(LOCAL, REMOTE)
  for (let i = 0; i < 3; i++) trace.frame('sent', encodePdu(SUBMIT))
  await pcap.close()
  trace.frame('sent', encodePdu(SUBMIT))
  assert.equal(failures.length, 1)
})
