// Fixtures for tests of provider numbers: a service that gets its numbers from a fake provider, with helpers to buy a
// number and read it.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { Role } from '../../src/kit/config.js'
import { type OperatedService, operatedService } from '../api/operator-service.js'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign } from '../fixtures.js'
import type { Reply, TestService } from '../harness.js'
import { untilStatus } from '../until-status.js'
import { bandwidthFace, telnyxFace, twilioFace } from './faces.js'
import { type Face, FakeProvider } from './fake-provider.js'

const PUBLIC_URL = 'https://sms.ours.test'

export interface NumberService {
  service: OperatedService
  campaignId: string
  fake: FakeProvider
  /** Settings for another process: the carriers file and the public URL. */
  env: Record<string, string>
  buy: (number: string) => Promise<Reply>
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types; the schema is checked anyway
  number: (number: string) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  until: (number: string, status: string) => Promise<any>
}

/** Short timeouts, so tests do not wait for minutes. */
const SOON = '    responseTimeoutSeconds: 1\n    settleSeconds: 1\n'

type SellerKind = 'telnyx' | 'twilio' | 'bandwidth'

/** The fake of each provider, and the lines that its link needs in the carriers file in addition to the common ones. */
function seller(kind: SellerKind): { face: Face; lines: (url: string) => string } {
  if (kind === 'telnyx') {
    const face = telnyxFace()
    const lines = `    apiKey: KEY\n    publicKey: ${face.publicKey}\n    numbers:\n`
    return { face, lines: () => lines }
  }
  if (kind === 'twilio') {
    const own = `    accountSid: AC${'0123456789abcdef'.repeat(2)}\n    authToken: tok-123\n`
    const lines = (url: string) => `${own}    messagingUrl: ${url}\n    numbers:\n`
    return { face: twilioFace('tok-123'), lines }
  }
  const calls = '    callbackUser: cu\n    callbackPassword: cp-cp-cp-cp-cp\n'
  const own = `    accountId: "55"\n    user: u\n    password: p\n    application: app\n${calls}`
  const place = '    numbers:\n      siteId: "1"\n      locationId: "22"\n'
  const lines = (url: string) => `${own}    dashboardUrl: ${url}/dashboard/api\n${place}`
  return { face: bandwidthFace('cu', 'cp-cp-cp-cp-cp'), lines }
}

/** The service that gets the callbacks, once it runs. */
interface Called {
  current: TestService | null
}

/** Starts a provider with these numbers for sale, and returns the lines of its link in the carriers file. */
async function startSeller(
  t: TestContext,
  { kind, name, forSale }: { kind: SellerKind; name: string; forSale: readonly string[] },
  called: Called,
): Promise<{ fake: FakeProvider; link: string }> {
  const { face, lines } = seller(kind)
  const fake = new FakeProvider(
    face,
    `${PUBLIC_URL}/carrier/${name}`,
    () => async (place, call) => {
      const url = `/carrier/${name}${place === '/' ? '' : place}`
      const headers = call.headers as Record<string, string>
      const { app } = called.current!
      const reply = await app.inject({ method: 'POST', url, headers, payload: call.body })
      return { status: reply.statusCode }
    },
  )
  await fake.start()
  t.after(() => fake.stop())
  for (const number of forSale) fake.numbers.forSale.add(number)
  const head = `  - name: ${name}\n    kind: ${kind}\n    url: ${fake.url}\n`
  return { fake, link: `${head}${lines(fake.url)}      monthlyPrice: 2\n${SOON}` }
}

/** Starts a provider and writes a carriers file with its link. */
async function fakeSeller(t: TestContext, forSale: readonly string[], kind: SellerKind) {
  const service: Called = { current: null }
  const { fake, link } = await startSeller(t, { kind, name: 'upstream', forSale }, service)
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, `links:\n${link}`)
  return { fake, service, env: { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL } }
}

export interface TwoSellers {
  service: OperatedService
  telnyx: FakeProvider
  twilio: FakeProvider
  env: Record<string, string>
  /** Replaces the routes in the carriers file and reloads it in every process. */
  route: (lines: string) => Promise<void>
}

/** A service with the links `telnyx` and `twilio`, which both sell numbers. */
export async function twoSellers(
  t: TestContext,
  forSale: { telnyx: readonly string[]; twilio: readonly string[] },
  more: { links?: string; env?: Record<string, string> } = {},
): Promise<TwoSellers> {
  const called: Called = { current: null }
  const start = (kind: 'telnyx' | 'twilio') =>
    startSeller(t, { kind, name: kind, forSale: forSale[kind] }, called)
  const telnyx = await start('telnyx')
  const twilio = await start('twilio')
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const links = `links:\n${telnyx.link}${twilio.link}${more.links ?? ''}`
  writeFileSync(file, links)
  const env = { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL, ...more.env }
  const service = await operatedService(t, { roles: ['dispatch', 'deliver', 'schedule'], env })
  called.current = service
  const route = async (lines: string) => {
    writeFileSync(file, `${links}routes:\n${lines}`)
    const { ok } = await service.reloadCarriers()
    assert.equal(ok, true)
  }
  return { service, telnyx: telnyx.fake, twilio: twilio.fake, env, route }
}

export async function numberService(
  t: TestContext,
  forSale: readonly string[],
  {
    roles = ['dispatch', 'deliver', 'schedule'],
    kind = 'telnyx',
  }: { roles?: readonly Role[]; kind?: SellerKind } = {},
): Promise<NumberService> {
  const { fake, service: called, env } = await fakeSeller(t, forSale, kind)
  const service = await operatedService(t, { roles, env })
  called.current = service
  const { campaignId } = await activeCampaign(service)
  const number: NumberService['number'] = async (one) =>
    (await service.get(`/v1/number/${one.slice(1)}`)).body.number
  return {
    ...{ service, campaignId, fake, env, number },
    buy: (one) => service.post(`/v1/campaign/${campaignId}/number/buy`, { number: one }),
    until: (one, status) => untilStatus(service, 'number', one.slice(1), status),
  }
}

export function assertBought(reply: Reply, status: string): void {
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  assert.equal(reply.body.number.status, status)
}
