// What a customer's program does with openapi.json: a client is generated from it, its types are the contract's
// records, and it sends a message.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { register } from 'tsx/esm/api'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'

const run = promisify(execFile)

/** A customer's program as far as types go: anything wrong or untyped in it does not compile. */
const PROGRAM = `
import {
  type Account, type Brand, type Campaign, type CampaignDetails, type Delivery, type LedgerEntry,
  type Limits, type Message, type NumberForSale, type Number as OwnedNumber, type Optout,
  type Statement, type TimelineEntry, type Token, type Webhook, type SendMessageBody,
  type SendMessageReply, type ListBrandsReply, type WriteFailed, sendMessage, getMessage,
} from './client/index.js'

export interface Seen {
  account: Account; brand: Brand; campaign: Campaign; details: CampaignDetails; delivery: Delivery
  entry: LedgerEntry; limits: Limits; found: NumberForSale; number: OwnedNumber; optout: Optout
  statement: Statement; moves: TimelineEntry[]; token: Token; webhook: Webhook
  brands: ListBrandsReply['brands'][number]; failure: WriteFailed
}

export async function send(body: SendMessageBody, key: string): Promise<SendMessageReply['id']> {
  const { data, error } = await sendMessage({ body, headers: { 'Idempotency-Key': key } })
  if (error) throw new Error(error.error + ' ' + error.code + ' ' + error.help)
  return data.id
}

export async function read(id: string): Promise<Message['status']> {
  const { data, error } = await getMessage({ path: { id } })
  if (error) throw new Error(error.message === null ? error.error : '')
  return data.message.status
}

// @ts-expect-error a send without a recipient is found before it is made
export const wrong: SendMessageBody = { body: 'x' }
`

const OPTIONS = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'preserve',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
  },
  include: ['.'],
}

test('a client generated from openapi.json has the contract’s types and sends', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-client-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await run(process.execPath, ['scripts/generate-client.mjs', 'openapi.json', `${folder}/client`])
  writeFileSync(path.join(folder, 'program.ts'), PROGRAM)
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS))
  const types = await run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    '-p',
    folder,
  ]).catch((error: { stdout: string }) => error)
  assert.equal(types.stdout, '')

  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  t.after(register()) // the client is TypeScript
  const load = (file: string) => import(pathToFileURL(path.join(folder, file)).href)
  const { client } = await load('client/client.gen.ts')
  client.setConfig({ baseUrl: `http://127.0.0.1:${port}`, auth: service.token })
  const { send, read } = await load('program.ts')

  const message = { campaign: campaignId, to: '+14155550123', body: 'From a generated client' }
  const id = await send(message, 'once')
  assert.match(id, /^msg_/)
  assert.equal(await send(message, 'once'), id, 'the key makes it the same message')
  assert.equal(await read(id), 'QUEUED')
  await assert.rejects(
    send({ ...message, body: '' }, 'other'),
    /Message body required field_invalid/,
  )
  await assert.rejects(read('msg_nobody'), /Message not found/)
})
