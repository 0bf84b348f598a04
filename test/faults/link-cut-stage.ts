// A service that sends over SMPP, the SMSC, and the network between them. Each of the three can break while clients
// keep sending. The SMSC keeps a journal of accepted messages across restarts.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type TestService, testService } from '../harness.js'
import { privateFolder } from '../peers/peer-process.js'
import { VZW } from '../sending.js'
import { type Node, startNode } from './node-process.js'
import { startProxy, type TcpProxy } from './tcp-proxy.js'

/** The window of the link. */
export const WINDOW = 20
const SENDERS = 4
const PAUSE_MS = 40

export interface Smsc {
  child: ChildProcess
  port: number
}

export interface Stage {
  service: TestService
  proxy: TcpProxy
  node: Node
  smsc: Smsc
  /** The id and text of every message that the service accepted. */
  accepted: Map<string, string>
  /** How often the SMSC accepted each text, across its restarts. */
  taken: () => Map<string, number>
  restartNode: () => Promise<void>
  restartSmsc: () => Promise<void>
  campaignId: string
}

export async function openStage(t: TestContext, unknown: 'settle' | 'resend'): Promise<Stage> {
  const folder = privateFolder(t)
  const journal = path.join(folder, 'journal')
  writeFileSync(journal, '')
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const smsc = await startSmscProcess(t, journal)
  const proxy = await startProxy(t, smsc.port)
  const carriers = path.join(folder, 'carriers.json')
  writeFileSync(carriers, JSON.stringify(settingsOf(proxy.port, unknown)))
  const newNode = () => startNode(t, service.databaseUrl, { LONGCODE_CARRIERS: carriers })
  const stage: Stage = {
    service,
    proxy,
    node: await newNode(),
    smsc,
    accepted: new Map(),
    taken: () => countTexts(journal),
    restartNode: async () => {
      await killed(stage.node.child)
      stage.node = await newNode()
    },
    restartSmsc: async () => {
      await killed(stage.smsc.child)
      stage.smsc = await startSmscProcess(t, journal)
      proxy.target = stage.smsc.port
    },
    campaignId,
  }
  return stage
}

/** The carriers file of a link to the SMSC. */
export function settingsOf(port: number, unknown: 'settle' | 'resend') {
  const link = {
    name: 'cut',
    kind: 'smpp',
    host: '127.0.0.1',
    port,
    systemId: 'longcode',
    password: 'secret12',
    window: WINDOW,
    responseTimeoutSeconds: 1,
    enquireLinkSeconds: 1,
    bindTimeoutSeconds: 1,
    reconnect: { firstSeconds: 0.1, maxSeconds: 0.3 },
    settleSeconds: 5,
    unknown,
  }
  return { links: [link] }
}

export async function startSmscProcess(t: TestContext, journal: string): Promise<Smsc> {
  const file = path.join(import.meta.dirname, 'smsc-process.mjs')
  const child = fork(file, ['../../dist/', journal], { execArgv: [] })
  t.after(() => child.kill('SIGKILL'))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { child, port }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

export function countTexts(journal: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const line of readFileSync(journal, 'utf8').split('\n')) {
    if (!line.startsWith('{"taken"')) continue
    const { taken } = JSON.parse(line) as { taken: string }
    counts.set(taken, (counts.get(taken) ?? 0) + 1)
  }
  return counts
}

/**
 * Starts clients that retry each send with its idempotency key until they get a response. Returns a function that stops
 * them and resolves when the last one has its response.
 */
export function startLoad(t: TestContext, stage: Stage): () => Promise<void> {
  let isOver = false
  let count = 0
  const sender = async () => {
    while (!isOver) {
      const text = `Message ${++count}`
      const id = await eventually(() => send(stage, text), `a response to ${text}`)
      stage.accepted.set(id, text)
      await sleep(PAUSE_MS)
    }
  }
  const senders = Array.from({ length: SENDERS }, () => sender())
  const end = async () => {
    isOver = true
    await Promise.all(senders)
  }
  t.after(end)
  return end
}

async function send({ node, service, campaignId: campaign }: Stage, body: string) {
  const request = {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      'idempotency-key': body,
    },
    body: JSON.stringify({ campaign, to: VZW, body }),
  }
  const response = await fetch(`${node.address}/v1/message/send`, request).catch(() => null)
  if (!response || response.status >= 500 || response.status === 409) return null
  const reply = (await response.json().catch(() => null)) as { id: string } | null
  if (reply) assert.equal(response.status, 200, JSON.stringify(reply))
  return reply?.id
}
