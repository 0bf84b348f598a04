// 100,000 invalid frames: noise, noise after a valid header, and valid PDUs with bytes changed, removed, and inserted.
// Seeded, so a failure can be reproduced.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMAND_NAMES, COMMANDS } from './commands.js'
import { decodePdu } from './decode.js'
import { encodePdu } from './encode.js'
import { makePdu } from './pdu.js'
import { statusName } from './status.js'
import { makeStandardTlv } from './tlv.js'

const FRAMES = 100_000
const SEED = 0x5eed

/** Mulberry32: small and the same on every machine. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = randomOf(SEED)

const TEMPLATES = [
  ...COMMAND_NAMES.map((command) => encodePdu(makePdu(command, 1, {}))),
  encodePdu(
    makePdu('deliver_sm', 2, { sourceAddr: '14155550123', shortMessage: Buffer.alloc(140, 'x') }, [
      makeStandardTlv('receiptedMessageId', 'abc'),
      makeStandardTlv('messagePayload', Buffer.alloc(300, 'y')),
    ]),
  ),
]

function noise(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)))
}

function headed(): Buffer {
  const frame = noise(16 + random(120))
  frame.writeUInt32BE(COMMANDS[COMMAND_NAMES[random(COMMAND_NAMES.length)]!].id, 4)
  if (random(2) === 0) frame.writeUInt32BE(0, 8)
  return frame
}

function changed(): Buffer {
  let frame = Buffer.from(TEMPLATES[random(TEMPLATES.length)]!)
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(frame.length)
    const kind = random(4)
    if (kind === 0) frame = Buffer.concat([frame.subarray(0, at), frame.subarray(at + random(9))])
    else if (kind === 1)
      frame = Buffer.concat([frame.subarray(0, at), noise(3), frame.subarray(at)])
    else if (at < frame.length) frame[at] = kind === 2 ? 0xff : random(256)
    if (frame.length === 0) return frame
  }
  return frame
}

test('any bytes decode to a PDU that can be encoded again, or to a problem with a response status', () => {
  let pdus = 0
  for (let i = 0; i < FRAMES; i++) {
    const kind = random(8)
    const frame = kind === 0 ? noise(random(64)) : kind < 4 ? headed() : changed()
    // Mostly a valid length, so the rest is decoded.
    if (frame.length >= 4 && random(16) > 0) frame.writeUInt32BE(frame.length, 0)
    const { pdu, problem } = decodePdu(frame)
    if (problem) {
      assert.notEqual(statusName(problem.status), null)
      assert.ok(problem.detail.length > 0)
      continue
    }
    pdus += 1
    // A refusal with a broken body is decoded without it. Everything else encodes to the same bytes.
    if (pdu.body !== null) assert.ok(encodePdu(pdu).equals(frame), frame.toString('hex'))
  }
  assert.ok(pdus > FRAMES / 20, `only ${pdus} were PDUs`)
  assert.ok(pdus < FRAMES / 1.2, `${pdus} were PDUs`)
})
