// Every kind of link that a carriers file may name.

import { Type } from 'typebox'
import { createSimulator } from '../simulator.js'
import { defineKind, type LinkKind } from './link-kind.js'
import { bandwidthKind, telnyxKind, twilioKind } from './provider-kinds.js'
import { smppKind } from './smpp-kind.js'

/** To try routes without a carrier. */
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

export const LINK_KINDS: Readonly<Record<string, LinkKind>> = {
  smpp: smppKind,
  telnyx: telnyxKind,
  bandwidth: bandwidthKind,
  twilio: twilioKind,
  simulator: simulatorKind,
}
