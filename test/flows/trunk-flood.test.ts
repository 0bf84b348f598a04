// A flood on one trunk costs another trunk no call, over datagrams and connections, and the limits of trunks,
// accounts, and numbers.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { privateFolder } from '../peers/peer-process.js'
import { DatagramCaller, statusOf } from '../peers/sip/datagram-caller.js'
import { TARGET, voiceService } from '../peers/sip/voice-service.js'
import { until } from '../until.js'

const FLOOD = '127.0.0.3'

interface Limits {
  callsPerSecond?: number
  callsPerDay?: number
}

/** A quiet trunk at 127.0.0.1, and another one at 127.0.0.3. */
function twoTrunks(t: TestContext, limits: Limits = {}): Record<string, string> {
  const trunk = { contactHost: 'carrier.test' }
  const trunks = [
    { ...trunk, name: 'quiet', sources: ['127.0.0.1'] },
    { ...trunk, name: 'flood', sources: [FLOOD, '127.0.0.4', '127.0.0.5'], limits },
  ]
  const file = path.join(privateFolder(t), 'trunks.json')
  writeFileSync(file, JSON.stringify({ trunks }))
  return { LONGCODE_TRUNKS: file }
}

test('a flood of datagrams on one trunk costs the other no call', async (t) => {
  const env = { ...twoTrunks(t), LONGCODE_SIP_RATE: '40' }
  const { service, port, buy } = await voiceService(t, { env })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const [quiet, flood] = [await DatagramCaller.open(t), await DatagramCaller.open(t, FLOOD)]
  const messages = service.world.metrics.counter('longcode_sip_messages_total', '')
  const dropped = () => messages.cell('udp', 'dropped').value
  let isOver = false
  const flooding = (async () => {
    while (!isOver) {
      for (let i = 0; i < 100; i += 1) flood.send(flood.invite(uri), port)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  await until(() => flood.received.some(({ text }) => statusOf(text) === 503), 'a 503')
  await until(() => dropped() > 0, 'datagrams that are not read')
  const answers: number[] = []
  for (let i = 0; i < 33; i += 1) {
    answers.push(statusOf(await quiet.ask(quiet.invite(uri), port)))
    await new Promise((resolve) => setTimeout(resolve, 60)) // within its half of the rate
  }
  isOver = true
  await flooding
  assert.deepEqual(new Set(answers), new Set([302]))
})

test('connections of one trunk leave the other its share', async (t) => {
  const env = { ...twoTrunks(t), LONGCODE_SIP_CONNECTIONS: '8' }
  const { port, buy } = await voiceService(t, { env })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const open = async (localAddress: string) => {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress, noDelay: true })
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    socket.write(
      `OPTIONS ${uri} SIP/2.0\r\nVia: SIP/2.0/TCP a.test;branch=z9hG4bK1\r\nFrom: <sip:a@a.test>;tag=1\r\nTo: <${uri}>\r\nCall-ID: a\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`,
    )
    return Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ])
  }
  const flooded: boolean[] = []
  for (const address of [FLOOD, '127.0.0.4', '127.0.0.5']) {
    for (let i = 0; i < 4; i += 1) flooded.push(await open(address))
  }
  assert.equal(flooded.filter(Boolean).length, 4, 'half of them')
  assert.deepEqual([await open('127.0.0.1'), await open('127.0.0.1')], [true, true])
})

test('a trunk gets no more calls per second and per day than its limits', async (t) => {
  const env = twoTrunks(t, { callsPerSecond: 5, callsPerDay: 3 })
  const { port, buy } = await voiceService(t, { env })
  const uri = `sip:${await buy(TARGET)}@ours.test`
  const [quiet, limited] = [await DatagramCaller.open(t), await DatagramCaller.open(t, FLOOD)]
  for (const status of [302, 302, 302, 503]) {
    const answer = await limited.ask(limited.invite(uri), port)
    assert.equal(statusOf(answer), status)
    if (status === 503) assert.match(answer, /^Retry-After: [1-9]\d{0,3}\r$/m)
  }
  assert.equal(statusOf(await quiet.ask(quiet.invite(uri), port)), 302)
})

test('a number and an account get no more calls per day than their limits, and repetitions are one call', async (t) => {
  const env = { LONGCODE_NUMBER_CALLS_PER_DAY: '2', LONGCODE_ACCOUNT_CALLS_PER_DAY: '3' }
  const { service, port, buy } = await voiceService(t, { env })
  const [first, second] = [await buy(TARGET), await buy(TARGET)]
  const caller = await DatagramCaller.open(t)
  const call = async (number: string) => {
    const invite = caller.invite(`sip:${number}@ours.test`)
    const answer = await caller.ask(invite, port)
    const again = await caller.ask(invite, port)
    assert.equal(again, answer, 'a repetition gets the same response')
    return statusOf(answer)
  }
  assert.deepEqual([await call(first), await call(first), await call(first)], [302, 302, 480])
  assert.deepEqual([await call(second), await call(second)], [302, 480])
  const calls = service.world.metrics.counter('longcode_calls_total', '')
  assert.equal(calls.cell('redirected').value, 3)
  assert.equal(calls.cell('limited').value, 4, 'each refused request counts')
})

test('a number gets no more calls per second than its limit, and other numbers are not affected', async (t) => {
  const env = { LONGCODE_NUMBER_CALLS_PER_SECOND: '1' }
  const { port, buy } = await voiceService(t, { env })
  const [busy, other] = [await buy(TARGET), await buy(TARGET)]
  const caller = await DatagramCaller.open(t)
  for (let i = 0; i < 20; i += 1) caller.send(caller.invite(`sip:${busy}@ours.test`), port)
  const heard = () => caller.received.map(({ text }) => statusOf(text))
  await until(() => heard().length === 20, 'twenty answers')
  assert.ok(heard().includes(302) && heard().includes(480), heard().join(' '))
  assert.equal(statusOf(await caller.ask(caller.invite(`sip:${other}@ours.test`), port)), 302)
})
