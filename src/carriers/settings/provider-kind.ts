// A provider as a kind of link in the carriers file: its own fields, the common fields of providers, and the link
// built from them.

import { type Static, Type } from 'typebox'
import { flag, seconds, toMs, whole } from '../../kit/settings-file/field-schemas.js'
import { CallbackAddress } from '../providers/callbacks.js'
import { createHttpLink } from '../providers/http-link.js'
import { createProviderClient } from '../providers/provider-client.js'
import type {
  NumbersCapability,
  ProviderModule,
  RegistrarSettings,
  RegistrationCapability,
} from '../providers/provider-module.js'
import {
  defineKind,
  type LinkKind,
  RateFields,
  type ReadLink,
  shareProblems,
  silencePolicy,
  UnknownFields,
} from './link-kind.js'

const SharedFields = Type.Object({
  /** The maximum number of concurrent requests. */
  concurrency: whole(1, 500, 20),
  responseTimeoutSeconds: seconds(1, 40, 10_000),
  lookSeconds: seconds(1, 3_600, 30_000),
  settleSeconds: seconds(1, 3_600, 120_000),
  ...RateFields,
  ...UnknownFields,
  /** Whether to look up the phone type of unknown recipients, for a fee. */
  lookUps: flag(false),
})

/** `numbers` is a field of providers that sell them. */
type Shared = Static<typeof SharedFields> & { numbers?: { monthlyPrice: number } }

export function providerKind(module: ProviderModule): LinkKind {
  return defineKind({
    fields: Type.Object({ ...SharedFields.properties, ...module.fields.properties }),
    secrets: module.secrets,
    isConnected: false,
    read: (name, own, { publicUrl }) => {
      const problems = shareProblems(own as Shared)
      if (problems.length > 0) return problems
      const account = module.readAccount(own)
      if (Array.isArray(account)) return account
      const callbackUrl = `${publicUrl}/carrier/${name}`
      const { id, secret, createMessages, numbers, registration } = account
      const settings = httpSettings(name, module, own as Shared)
      const shared = { link: name, callbackUrl, settleMs: settings.settleMs }
      return {
        settings: { ...own, base: callbackUrl },
        account: `${module.name} ${id}`,
        create: (deps) =>
          createHttpLink(settings, {
            ...deps,
            messages: createMessages(() => deps.clock.now()),
            address: new CallbackAddress(callbackUrl, secret),
          }),
        ...(numbers && openNumbers(module, own as Shared, shared, numbers)),
        ...(registration && openRegistrar(module, own as Shared, shared, registration)),
      }
    },
  })
}

function httpSettings(name: string, { name: kind, media }: ProviderModule, own: Shared) {
  return {
    ...{ name, kind, media, concurrency: own.concurrency, unknown: silencePolicy(own) },
    ...{ perSecond: own.perSecond ?? null, shared: own.shared },
    hasLookUps: own.lookUps,
    timeoutMs: toMs(own.responseTimeoutSeconds),
    probeIntervalMs: toMs(own.lookSeconds),
    settleMs: toMs(own.settleSeconds),
  }
}

function openNumbers(
  { codes }: ProviderModule,
  { numbers, responseTimeoutSeconds }: Shared,
  shared: RegistrarSettings,
  { profiles, parseError, create }: NumbersCapability,
): Pick<ReadLink, 'openNumbers'> {
  if (!numbers) return {}
  const monthlyPriceMicros = BigInt(Math.round(numbers.monthlyPrice * 1_000_000))
  return {
    openNumbers: () => {
      const timeoutMs = toMs(responseTimeoutSeconds)
      const client = createProviderClient({ codes, parseError, timeoutMs })
      const source = create({ ...shared, profiles, monthlyPriceMicros }, client)
      return { client: source, close: () => client.close() }
    },
  }
}

function openRegistrar(
  { codes }: ProviderModule,
  { responseTimeoutSeconds }: Shared,
  shared: RegistrarSettings,
  { parseError, create }: RegistrationCapability,
): Pick<ReadLink, 'openRegistrar'> {
  return {
    openRegistrar: () => {
      const timeoutMs = toMs(responseTimeoutSeconds)
      const client = createProviderClient({ codes, parseError, timeoutMs })
      return { client: create(shared, client), close: () => client.close() }
    },
  }
}
