// The simulator as a link of the carriers' file: to try routes without a carrier.

import { Type } from 'typebox'
import { createSimulator } from '../simulator.js'
import { defineKind } from './link-kind.js'

export const simulatorKind = defineKind({
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
