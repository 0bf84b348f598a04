// The setup of a link at an account whose answers the test decides, with a real carriers file and no running service.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { providerWithSetup } from '../../src/carriers/providers/providers.js'
import type { ProvisioningClient } from '../../src/carriers/providers/provisioning.js'
import { addLink, type SetupDeps } from '../../src/carriers/setup/add-link.js'
import type { LinkFileSource } from '../../src/carriers/setup/link-file.js'
import {
  SetupRefusal,
  type SetupReport,
  type SetupRequest,
} from '../../src/carriers/setup/setup.js'
import { LINK_FIELDS, type ProviderName } from './provider-messages.js'

export const PUBLIC_URL = 'https://sms.ours.test'
export const WEBHOOK = `${PUBLIC_URL}/carrier/acme`
export const PUBLIC_KEY = String(LINK_FIELDS.telnyx.publicKey)
export const SID = String(LINK_FIELDS.twilio.accountSid)
export const CAMPAIGN = `cmp_${'1'.repeat(26)}`
export const [ONE, TWO] = ['+14152000001', '+14152000002'] as const

/** What each provider cannot do without. */
const FIELDS: Record<ProviderName, Record<string, string>> = {
  telnyx: { apiKey: 'KEY-hush' },
  bandwidth: { accountId: '55', user: 'u', password: 'pass-hush-hush' },
  twilio: { accountSid: SID, authToken: 'tok-hush' },
}

/** An account with funds and without numbers, where everything succeeds. */
const usual = (name: ProviderName): ProvisioningClient => ({
  check: async () => ({ text: 'Balance: 1 USD.', hasNoMoney: false, isTrial: false }),
  findContainer: async () => null,
  createContainer: async () => 'c-1',
  changeContainer: async () => {},
  listNumbers: async () => [],
  isRegistered: async () => true,
  send: async () => 'm-1',
  outcomeOf: async () => ({ state: 'delivered', text: 'delivered', code: null }),
  ...(name === 'telnyx' && { publicKey: async () => PUBLIC_KEY }),
  ...(name !== 'bandwidth' && { putNumber: async () => {} }),
})

export interface Addition {
  /** Values by field, in addition to the required ones. A pair is a value and its variable. */
  fields?: Record<string, string | readonly [value: string, variable: string]>
  request?: Partial<SetupRequest>
  source?: Partial<LinkFileSource>
  deps?: Partial<SetupDeps>
}

export function setupStage(
  t: TestContext,
  name: ProviderName,
  account: Partial<ProvisioningClient> = {},
) {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'longcode-setup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'carriers.yaml')
  const calls: [operation: string, ...unknown[]][] = []
  const client = recorded({ ...usual(name), ...account }, calls)
  const provider = providerWithSetup(name)
  const add = ({ fields = {}, request, source, deps }: Addition = {}): Promise<SetupReport> =>
    addLink(
      {
        provider: { ...provider, setup: { ...provider.setup, open: () => client } },
        ...{ name: 'acme', publicUrl: PUBLIC_URL, campaign: null, number: null },
        ...{ monthlyPrice: null, registration: null, isDryRun: false },
        fields: inputs({ ...FIELDS[name], ...fields }),
        ...request,
      },
      {
        source: {
          ...{ file, isSet: true, publicUrl: PUBLIC_URL, allowsSimulator: true },
          ...{ variable: () => null, ...source },
        },
        reach: { timeoutMs: 60_000, allowPrivate: true },
        reload: async () => ({ state: 'done', text: 'Reloaded.' }),
        ...{ test: null, hasCalled: async () => false, ...deps },
      },
    )
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : null)
  const callsOf = (operation: string) => calls.filter(([one]) => one === operation)
  return { add, calls, callsOf, client, file, text }
}

function recorded(client: ProvisioningClient, calls: unknown[][]): ProvisioningClient {
  const entries = Object.entries(client).map(([name, operation]) => [
    name,
    (...args: unknown[]) => {
      calls.push([name, ...args])
      return (operation as (...args: unknown[]) => unknown)(...args)
    },
  ])
  return Object.fromEntries(entries)
}

function inputs(fields: NonNullable<Addition['fields']>): SetupRequest['fields'] {
  return Object.fromEntries(
    Object.entries(fields).map(([name, given]) => {
      const [value, variable] = typeof given === 'string' ? [given, null] : given
      return [name, { value, variable }]
    }),
  )
}

/** The steps with this name: state and text. */
export const stepsOf = ({ steps }: SetupReport, name: string) =>
  steps.filter(({ step }) => step === name).map(({ state, text }) => `${state}: ${text}`)

/** What is missing, of this kind: text and remedy. */
export const lacksOf = ({ missing }: SetupReport, kind: string) =>
  missing.filter(({ what }) => what === kind).map(({ text, remedy }) => [text, remedy])

/** The field and the sentence of a refusal. */
export async function refusalOf(report: Promise<SetupReport>): Promise<[string, string]> {
  const error = await report.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof SetupRefusal)) throw error ?? new Error('it was not refused')
  return [error.field, error.message]
}
