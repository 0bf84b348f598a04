// Two sites: a primary and a node of the service in the first, a standby in the second, and 40 ms in each direction
// between the databases. Carrier, webhook receiver, and clients are elsewhere and survive the loss of either site.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { runInside } from '../commands/run-inside.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { createWebhook, type WebhookReceiver, webhookReceiver } from '../flows/webhook-receiver.js'
import { type TestService, testService } from '../harness.js'
import { privateFolder } from '../peers/peer-process.js'
import { VZW } from '../sending.js'
import { type Distance, startDistance } from './distance.js'
import { countTexts, settingsOf, startSmscProcess } from './link-cut-stage.js'
import { type Node, startNode } from './node-process.js'
import { type ReplicaPair, startReplicaPair } from './replica-pair.js'

const ONE_WAY_MS = 40
const CLIENTS = 24

/** A message whose acceptance a client saw. Its text is its idempotency key. */
export interface Accepted {
  id: string
  text: string
  answeredAt: number
}

type Send = (text: string) => Promise<string | null>

export interface Sites {
  pair: ReplicaPair
  distance: Distance
  /** For setup, and to read: it serves no client, and follows the database to the second site. */
  service: TestService
  east: Node
  receiver: WebhookReceiver
  /** Null if it was not accepted. */
  sendEast: Send
  startWest: () => Promise<{ send: Send }>
  load: () => { accepted: Accepted[]; end: () => Promise<void> }
  /** How often the carrier accepted each text. */
  taken: () => Map<string, number>
  isReceipted: () => boolean
  /** An operator's commands, on the second site's database. */
  pause: (link: string) => Promise<void>
  resume: (link: string) => Promise<void>
}

export async function openSites(
  t: TestContext,
  { isSynchronous }: { isSynchronous: boolean },
): Promise<Sites> {
  let distance: Distance | null = null
  const connect = async (socket: string) => {
    distance = await startDistance(t, socket, ONE_WAY_MS)
    return distance.port
  }
  const pair = await startReplicaPair({ isSynchronous, connect })
  const env = { LONGCODE_DATABASE_TIMEOUT: '10' }
  const service = await testService(t, { database: pair, env })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const receiver = await webhookReceiver(t)
  await createWebhook(service, campaignId, receiver.url, { eventTypes: ['message.status'] })
  const folder = privateFolder(t)
  const journal = path.join(folder, 'journal')
  writeFileSync(journal, '')
  const smsc = await startSmscProcess(t, journal)
  const carriers = path.join(folder, 'carriers.json')
  writeFileSync(carriers, JSON.stringify(settingsOf(smsc.port, 'settle')))
  const settings = { LONGCODE_CARRIERS: carriers, LONGCODE_DATABASE_TIMEOUT: '5' }
  const sender = ({ address }: Node): Send => {
    return (text) => send(address, service.token, { campaign: campaignId, to: VZW, body: text })
  }
  const operate = async (...args: string[]) => {
    const { code, err } = await runInside(args, { ...settings, DATABASE_URL: pair.standbyUrl })
    if (code !== 0) throw new Error(err)
  }
  const east = await startNode(t, pair.primaryUrl, settings)
  const sendEast = sender(east)
  return {
    ...{ pair, distance: distance!, service, east, receiver, sendEast },
    startWest: async () => ({ send: sender(await startNode(t, pair.standbyUrl, settings)) }),
    load: () => startClients(sendEast),
    taken: () => countTexts(journal),
    isReceipted: () => isReceipted(journal),
    pause: (link) => operate('carrier', 'pause', link, '--reason', 'Failover'),
    resume: (link) => operate('carrier', 'resume', link),
  }
}

async function send(
  address: string,
  token: string,
  message: { body: string; [field: string]: string },
) {
  const response = await fetch(`${address}/v1/message/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': message.body,
    },
    body: JSON.stringify(message),
  }).catch(() => null)
  const reply = (await response?.json().catch(() => null)) as { id: string } | null | undefined
  return response?.status === 200 && reply ? reply.id : null
}

let texts = 0

/** They send until the end, or until one of their messages is not accepted. */
function startClients(sendEast: Send) {
  const accepted: Accepted[] = []
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const text = `Message ${++texts}`
      const id = await sendEast(text)
      if (id === null) return
      accepted.push({ id, text, answeredAt: Date.now() })
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, client))
  const end = async () => {
    isOver = true
    await clients
  }
  return { accepted, end }
}

/** Whether the carrier got an acknowledgement of the receipt of every message. */
function isReceipted(journal: string): boolean {
  const entries = readFileSync(journal, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(
      (line) => JSON.parse(line) as { receipted?: string; parts?: { id: { inAnswer: string } }[] },
    )
  const done = new Set(entries.map(({ receipted }) => receipted))
  return entries.every(({ parts = [] }) => parts.every(({ id }) => done.has(id.inAnswer)))
}
