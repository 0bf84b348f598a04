// What production has until a carrier link is set up. Sends are refused, so nothing new comes here; what
// was queued before (a link was taken out of the settings) waits, and is refunded when it expires.

import type { Carrier } from '../messages/carrier-port.js'

export function createNoCarrier(): Carrier {
  return {
    name: 'none',
    isAbsent: true,
    networkOf: () => null,
    isUp: () => false,
    submit: async (submissions) => submissions.map(() => ({ kind: 'down' })),
    start: async () => {},
    stop: async () => {},
  }
}
