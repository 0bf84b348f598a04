// A carrier that misbehaves randomly, under load: every message gets exactly one result. Returned messages are
// submitted again, and unknown ones are not. Nothing is accepted twice, and nothing is lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { submission } from '../../../test/smpp-fixtures.js'
import { startLink } from '../../../test/smpp-link.js'
import { type PeerBind, type SubmitPdu, startPeer } from '../../../test/smpp-peer.js'
import { until } from '../../../test/until.js'
import type { Submission, SubmitAnswer } from '../../messages/carrier-port.js'
import { STATUS } from '../../smpp/pdu/status.js'
import { readMessage } from '../../smpp/text/read-message.js'
import { USUAL_SMPP } from './smpp-settings.js'

const SEED = Number(process.env.TEST_SEED ?? 1 + Math.floor(Math.random() * 1e9))
const MESSAGES = 1_000
const BATCH = 50
/** The submits that the carrier throttles. */
const THROTTLED = [300, 301]

/** Mulberry32. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `m7`, or `m7/2` for a part of a long text. Texts start with it. */
function nameOf(pdu: SubmitPdu): string {
  const { text, part } = readMessage(pdu, USUAL_SMPP.codings)
  const [, name] = /(m\d+)\./.exec(text!)!
  return part ? `${name}/${part.sequence}` : name!
}

/** Each part contains the name of the message. */
function textOf(i: number): string {
  const isLong = i % 10 === 0
  return isLong ? `m${i}.`.repeat(Math.ceil(400 / `m${i}.`.length)) : `m${i}.`
}

test(`no message is lost or sent twice by a random carrier (seed ${SEED})`, async (t) => {
  const random = seeded(SEED)
  const peer = await startPeer(t)
  // How long an unbind waits for responses that never come.
  peer.session = { responseTimeoutMs: 500 }
  const taken = new Map<string, number>()
  const take = (bind: PeerBind, pdu: SubmitPdu) => {
    const name = nameOf(pdu)
    taken.set(name, (taken.get(name) ?? 0) + 1)
    bind.take(pdu, name)
  }
  const FATES: [share: number, fate: (bind: PeerBind, pdu: SubmitPdu) => void][] = [
    [0.01, (bind, pdu) => bind.refuse(pdu, STATUS.ESME_RSYSERR.code)],
    [0.01, (bind, pdu) => bind.refuse(pdu, STATUS.ESME_RINVDSTADR.code)],
    [0.003, (bind) => void bind.socket.resetAndDestroy()],
    [0.002, (bind) => bind.smpp.unbind()],
    // Accepted, and the response never comes or comes too late.
    [0.005, (_, pdu) => void taken.set(nameOf(pdu), (taken.get(nameOf(pdu)) ?? 0) + 1)],
    [0.005, (bind, pdu) => void setTimeout(() => take(bind, pdu), 700)],
    [0.2, (bind, pdu) => void setTimeout(() => take(bind, pdu), 5 * random())],
  ]
  peer.onSubmit = (bind, pdu) => {
    if (THROTTLED.includes(peer.submits.length)) {
      bind.refuse(pdu, STATUS.ESME_RTHROTTLED.code)
      return
    }
    let draw = random()
    const fate = FATES.find(([share]) => {
      draw -= share
      return draw < 0
    })
    if (fate) fate[1](bind, pdu)
    else take(bind, pdu)
  }

  const { link, late } = await startLink(t, peer, {
    settings: { binds: 3, window: 20, responseTimeoutMs: 500, longStyle: 'udh16' },
  })
  const answers = new Map<string, SubmitAnswer>()
  const send = async (batch: Submission[]): Promise<void> => {
    const given = await link.submit(batch)
    assert.equal(given.length, batch.length)
    const again: Submission[] = []
    for (const [i, answer] of given.entries()) {
      if (answer.kind === 'slow_down' || answer.kind === 'down') again.push(batch[i]!)
      else answers.set(batch[i]!.id, answer)
    }
    if (again.length === 0) return
    await sleep(10)
    await until(() => link.isUp!(), 'the link')
    await send(again)
  }
  const all = Array.from({ length: MESSAGES }, (_, i) =>
    submission({ id: `m${i}`, body: textOf(i) }),
  )
  const batches = Array.from({ length: MESSAGES / BATCH }, (_, i) =>
    all.slice(i * BATCH, (i + 1) * BATCH),
  )
  await Promise.all(batches.map(send))

  assert.equal(answers.size, MESSAGES)
  const kinds = new Set([...answers.values()].map(({ kind }) => kind))
  for (const kind of ['sent', 'failed', 'unknown'] as const) assert.ok(kinds.has(kind), kind)
  for (const [name, answer] of answers) {
    const parts = [...taken].filter(([part]) => part === name || part.startsWith(`${name}/`))
    for (const [part, count] of parts) assert.equal(count, 1, `${part} was accepted ${count} times`)
    if (answer.kind === 'sent') {
      assert.deepEqual(parts.map(([part]) => part).sort(), [...answer.carrierIds!].sort())
    }
  }
  for (const { id: messageId } of late) assert.equal(answers.get(messageId)?.kind, 'unknown')
})
