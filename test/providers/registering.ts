// Fixtures for tests of registration through a provider: a service whose Telnyx link registers and orders numbers, a
// fake Telnyx, and a brand and a campaign with the fields that such a link needs.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { Role } from '../../src/kit/config.js'
import { OPERATOR_TOKEN } from '../api/operator-service.js'
import { temporaryFolder } from '../commands/run-command.js'
import { type Json, type TestService, testService } from '../harness.js'
import { untilStatus } from '../until-status.js'
import { telnyxFace } from './faces.js'
import { FakeProvider } from './fake-provider.js'

const PUBLIC_URL = 'https://sms.ours.test'

export const BRAND_BODY = {
  entityType: 'PRIVATE_PROFIT',
  entityName: 'Blue Fern Bistro LLC',
  displayName: 'Blue Fern Bistro',
  ein: '12-3456789',
  website: 'https://bluefern.example',
  privacyLink: 'https://bluefern.example/privacy',
  termsLink: 'https://bluefern.example/terms',
  vertical: 'HOSPITALITY',
  street: '548 Market Street',
  city: 'San Francisco',
  state: 'CA',
  postalCode: '94104',
  country: 'US',
  firstName: 'Ana',
  lastName: 'Ortiz',
  email: 'ana@bluefern.example',
  phone: '+14155550123',
}

export const CAMPAIGN_BODY = {
  usecase: 'ACCOUNT_NOTIFICATION',
  description:
    'Guests who book a table get a confirmation and a reminder on the day of their visit.',
  consentFlow:
    'Guests tick a box on the form at bluefern.example/book and can reply STOP at any time.',
  sample1: 'Blue Fern Bistro: your table is set for Fri 7:30 PM. Reply STOP to opt out.',
  sample2: 'Blue Fern Bistro: See you tonight at 7:30 PM. Reply STOP to opt out.',
}

export interface Registering {
  service: TestService
  fake: FakeProvider
  /** Settings for another process: the carriers file and the public URL. */
  env: Record<string, string>
  /** Returns the id of the submitted brand. */
  submitBrand: (more?: Json) => Promise<string>
  submitCampaign: (brandId: string, more?: Json) => Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies without types; the schema is checked anyway
  until: (what: 'brand' | 'campaign', id: string, status: string) => Promise<any>
  /** Moves the clock, so leases end and waiting work is due. */
  advance: (seconds: number) => Promise<void>
}

interface Options {
  roles?: readonly Role[]
  /** More lines of `registration`. */
  registration?: string
  forSale?: readonly string[]
}

interface Registrar {
  fake: FakeProvider
  env: Record<string, string>
  /** From now on the provider sends its callbacks to this service. */
  follow: (service: Pick<TestService, 'app'>) => void
}

/** Starts a provider and writes a carriers file with its link. */
export async function fakeRegistrar(
  t: TestContext,
  { registration = '      mock: true\n', forSale = [] }: Options = {},
): Promise<Registrar> {
  const face = telnyxFace()
  const called: { current: Pick<TestService, 'app'> | null } = { current: null }
  const fake = new FakeProvider(
    face,
    `${PUBLIC_URL}/carrier/upstream`,
    () => async (place, call) => {
      const url = `/carrier/upstream${place === '/' ? '' : place}`
      const headers = call.headers as Record<string, string>
      const { app } = called.current!
      const reply = await app.inject({ method: 'POST', url, headers, payload: call.body })
      return { status: reply.statusCode }
    },
  )
  await fake.start()
  t.after(() => fake.stop())
  for (const number of forSale) fake.numbers.forSale.add(number)
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const head = `links:\n  - name: upstream\n    kind: telnyx\n    url: ${fake.url}\n`
  const keys = `    apiKey: KEY\n    publicKey: ${face.publicKey}\n`
  const soon = '    responseTimeoutSeconds: 1\n    settleSeconds: 1\n'
  const rest = `    numbers:\n      monthlyPrice: 2\n    registration:\n${registration}`
  writeFileSync(file, `${head}${keys}${soon}${rest}`)
  const env = { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL }
  const follow: Registrar['follow'] = (service) => {
    called.current = service
  }
  return { fake, env, follow }
}

export async function registeringService(
  t: TestContext,
  options: Options = {},
): Promise<Registering> {
  const { fake, env, follow } = await fakeRegistrar(t, options)
  const { roles = ['dispatch', 'deliver', 'schedule'] } = options
  const operator = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const service = await testService(t, { roles, env: { ...env, ...operator } })
  follow(service)
  const submit = async (call: string, body: Json): Promise<string> => {
    const { status, body: answer } = await service.post(`/v1/${call}/create`, body)
    assert.equal(status, 200, JSON.stringify(answer))
    return answer[call].id
  }
  return {
    ...{ service, fake, env },
    submitBrand: (more = {}) => submit('brand', { ...BRAND_BODY, ...more }),
    submitCampaign: (brandId, more = {}) =>
      submit('campaign', { ...CAMPAIGN_BODY, brandId, ...more }),
    until: (what, id, status) => untilStatus(service, what, id, status),
    advance: async (seconds) => {
      const { status } = await service.post('/sandbox/clock/advance', { seconds })
      assert.equal(status, 200)
    },
  }
}
