// Invalid data that a peer might write: frames that are cut short or too long, wrong lengths, unknown commands, wrong
// sequence numbers, and noise. The same seed produces the same frames.

import { encodePdu } from '../../src/smpp/pdu/encode.js'
import { makePdu, type Pdu } from '../../src/smpp/pdu/pdu.js'

export type Random = () => number

/** From 0 to below `max`. */
export function below(random: Random, max: number): number {
  return Math.floor(random() * max)
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[below(random, items.length)]!
}

function bytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => below(random, 256)))
}

/** Complete frames: the reader knows where the next one starts. */
const WHOLE: Record<string, (frame: Buffer, random: Random) => Buffer> = {
  'an unknown command': (frame, random) => {
    const changed = Buffer.from(frame)
    changed.writeUInt32BE(0x0000_0100 + below(random, 0xff00), 4)
    return changed
  },
  'another sequence number': (frame, random) => {
    const changed = Buffer.from(frame)
    changed.writeUInt32BE(pick(random, [0, 1, 0x7fff_ffff, 0xffff_ffff, below(random, 5_000)]), 12)
    return changed
  },
  'changed bytes': (frame, random) => {
    const changed = Buffer.from(frame)
    for (let i = 0; i < 3 && changed.length > 16; i++) {
      changed[16 + below(random, changed.length - 16)] = below(random, 256)
    }
    return changed
  },
  'a body cut short': (frame, random) => {
    const changed = Buffer.from(frame.subarray(0, 16 + below(random, frame.length - 15)))
    changed.writeUInt32BE(changed.length, 0)
    return changed
  },
  'noise after the body': (frame, random) => {
    const changed = Buffer.concat([frame, bytes(random, 1 + below(random, 300))])
    changed.writeUInt32BE(changed.length, 0)
    return changed
  },
  'a status': (frame, random) => {
    const changed = Buffer.from(frame)
    changed.writeUInt32BE(below(random, 0xffff), 8)
    return changed
  },
}

/** After these, the reader cannot know where the next frame starts. */
const BROKEN: Record<string, (frame: Buffer, random: Random) => Buffer> = {
  'a length below 16': (frame, random) => withLength(frame, below(random, 16)),
  'a length of gigabytes': (frame) => withLength(frame, 0xffff_fff0),
  'a length over the maximum': (frame) => withLength(frame, 70_000),
  'a length that does not match': (frame, random) =>
    withLength(frame, frame.length + 1 + below(random, 200)),
  'a frame cut short': (frame, random) => frame.subarray(0, below(random, frame.length)),
  'noise in the middle': (frame, random) => {
    const at = below(random, frame.length)
    const noise = bytes(random, 1 + below(random, 60))
    return Buffer.concat([frame.subarray(0, at), noise, frame.subarray(at)])
  },
  'noise alone': (_, random) => bytes(random, 1 + below(random, 500)),
}

function withLength(frame: Buffer, length: number): Buffer {
  const changed = Buffer.from(frame)
  changed.writeUInt32BE(length, 0)
  return changed
}

export interface HostileFrame {
  bytes: Buffer
  kind: string
  /** Whether the start of the next frame can be found. */
  isWhole: boolean
}

export function hostileFrame(
  frames: readonly Buffer[],
  random: Random,
  wholes = 0.9,
): HostileFrame {
  const isWhole = random() < wholes
  const kinds = isWhole ? WHOLE : BROKEN
  const kind = pick(random, Object.keys(kinds))
  return { bytes: kinds[kind]!(pick(random, frames), random), kind, isWhole }
}

/** Frames of every kind, as either side might write them, with sequence numbers that may be in use. */
export function wellFormedFrames(random: Random): Buffer[] {
  const sequence = 1 + below(random, 200)
  const text = bytes(random, below(random, 140))
  const message = {
    sourceAddr: '14155550101',
    destinationAddr: '14155550999',
    esmClass: pick(random, [0, 3, 4, 0x40, 0x44]),
    dataCoding: pick(random, [0, 3, 4, 8, 0xf5]),
    registeredDelivery: pick(random, [0, 1, 17]),
    shortMessage: text,
  }
  const messageId = pick(random, ['', '1', 'ABCDEF', '9'.repeat(60)])
  const pdus: Pdu[] = [
    makePdu('submit_sm', sequence, message),
    makePdu('deliver_sm', sequence, message),
    makePdu('data_sm', sequence, { sourceAddr: '1', destinationAddr: '2' }, [
      { tag: 0x0424, value: text },
      { tag: below(random, 0xffff), value: bytes(random, below(random, 30)) },
    ]),
    makePdu('submit_sm_resp', sequence, { messageId }),
    makePdu('deliver_sm_resp', sequence, { messageId }),
    makePdu('data_sm_resp', sequence, { messageId }),
    makePdu('query_sm', sequence, { messageId }),
    makePdu('query_sm_resp', sequence, { messageId, messageState: below(random, 256) }),
    makePdu('cancel_sm', sequence, { messageId }),
    makePdu('enquire_link', sequence, {}),
    makePdu('enquire_link_resp', sequence, {}),
    makePdu('generic_nack', sequence, {}),
    makePdu('bind_transceiver', sequence, { systemId: 'again', password: 'again' }),
    makePdu('bind_transceiver_resp', sequence, { systemId: 'again' }),
    makePdu('outbind', sequence, { systemId: 'again', password: 'again' }),
    makePdu('alert_notification', sequence, {}),
  ]
  return pdus.map((pdu) => encodePdu(pdu))
}

/** Splits bytes into pieces, down to single bytes, as a network might. */
export function chopped(whole: Buffer, random: Random): Buffer[] {
  const size = pick(random, [1, 2, 7, 100, whole.length])
  const pieces: Buffer[] = []
  for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size))
  return pieces
}
