// Every kind of link that a carriers file can use.

import { Type } from 'typebox'
import type { ProviderModule } from '../providers/provider-module.js'
import { PROVIDERS } from '../providers/providers.js'
import { createSimulator } from '../simulator.js'
import { defineKind, type LinkKind } from './link-kind.js'
import { providerKind } from './provider-kind.js'
import { smppKind } from './smpp-kind.js'

/** For trying routes without a carrier. */
const simulatorKind = defineKind({
  fields: Type.Object({}),
  secrets: [],
  isConnected: false,
  read: (name, _own, { allowsSimulator }) => {
    if (!allowsSimulator) {
      const text =
        'simulator reports deliveries that never happened: in production it takes LONGCODE_ALLOW_SIMULATED_DELIVERIES=true as well'
      return [{ path: ['kind'], text }]
    }
    return {
      settings: {},
      create: ({ log }) => ({ ...createSimulator(log), name }),
    }
  },
})

export type LinkKinds = Readonly<Record<string, LinkKind>>

export const LINK_KINDS = linkKinds(PROVIDERS)

export function linkKinds(providers: readonly ProviderModule[]): LinkKinds {
  return {
    smpp: smppKind,
    ...Object.fromEntries(providers.map((module) => [module.name, providerKind(module)])),
    simulator: simulatorKind,
  }
}
