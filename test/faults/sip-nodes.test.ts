// Several processes of one service: each gives the same response to a call, byte for byte. When one is killed under
// load, its callers only have to repeat their requests.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { freePort } from '../free-port.js'
import { eventually } from '../harness.js'
import { DatagramCaller, headerOf, statusOf } from '../peers/sip/datagram-caller.js'
import { caller } from '../peers/sip/scenario.js'
import { hasSipp, NO_SIPP, startSipp } from '../peers/sip/sipp.js'
import {
  OTHER_TARGET,
  TARGET,
  type VoiceService,
  voiceService,
} from '../peers/sip/voice-service.js'
import { startWire } from '../peers/sip/wire.js'
import { startNode } from './node-process.js'

const ENDS_AFTER = 10
const CALLS = 60

/** A process with only the voice role. */
async function startVoiceNode(
  t: TestContext,
  { service, env }: VoiceService,
  port: number,
): Promise<{ kill: () => Promise<void> }> {
  const settings = { ...env, LONGCODE_SIP_PORT: String(port), LONGCODE_ROLES: 'voice' }
  const { child } = await startNode(t, service.databaseUrl, settings)
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { kill }
}

test('a caller gets identical bytes from every node, before and after a change', async (t) => {
  const voice = await voiceService(t, { isListening: false })
  const [number, silent] = [await voice.buy(TARGET), await voice.buy(null)]
  const ports = [await freePort(), await freePort()]
  await Promise.all(ports.map((port) => startVoiceNode(t, voice, port)))
  const someone = await DatagramCaller.open(t)
  /** Sends the request to all nodes, whose responses must be equal. */
  const askAll = async (request: string): Promise<string> => {
    const answers: string[] = []
    for (const port of ports) answers.push(await someone.ask(request, port))
    assert.equal(answers[1], answers[0])
    return answers[0]!
  }
  const statuses: number[] = []
  for (const called of [number, silent, '+14155550100', '12']) {
    statuses.push(statusOf(await askAll(someone.invite(`sip:${called}@ours.test`))))
  }
  assert.deepEqual(statuses, [302, 480, 404, 484])

  const uri = `sip:${number}@ours.test`
  await voice.forward(number, OTHER_TARGET)
  for (const port of ports) {
    await eventually(
      async () => (await someone.ask(someone.invite(uri), port)).includes(OTHER_TARGET),
      'a node that follows the change',
    )
  }
  const answer = await askAll(someone.invite(uri))
  assert.equal(headerOf(answer, 'Contact'), `<sip:${OTHER_TARGET}@carrier.test>`)
})

test('callers of a node that is killed under load get through by repeating once it is back', async (t) => {
  if (!hasSipp) return t.skip(NO_SIPP)
  const voice = await voiceService(t, { isListening: false })
  const uri = `sip:${await voice.buy(TARGET)}@ours.test`
  const port = await freePort()
  const node = await startVoiceNode(t, voice, port)
  const someone = await DatagramCaller.open(t)
  const request = someone.invite(uri)
  const before = await someone.ask(request, port)
  let answers = 0
  let kill = () => {}
  const killed = new Promise<void>((resolve) => {
    kill = () => resolve(node.kill())
  })
  const wire = await startWire(t, port, {
    answer: (_, pass) => {
      pass()
      answers += 1
      if (answers === ENDS_AFTER) kill()
    },
  })
  const scenario = caller([{ uri, status: 302 }])
  const load = await startSipp(t, { scenario, port: wire.port, calls: CALLS })
  await killed
  assert.ok(answers < CALLS, 'calls were in progress')
  await startVoiceNode(t, voice, port)
  const { passed, repetitions } = await load.result()
  assert.equal(passed, CALLS)
  assert.ok(repetitions > 0, 'callers had to repeat requests')
  assert.equal(await someone.ask(request, port), before, 'the new process gives the same response')
})
