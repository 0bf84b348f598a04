// What production has until a carrier link is set up: it takes nothing, says why, and loses nothing.
// Messages stay QUEUED and are tried again, until they expire.

import type { Log } from '../kit/log.js'
import type { Carrier } from '../messages/carrier-port.js'

export function createNoCarrier(log: Log): Carrier {
  let isSaid = false
  return {
    name: 'none',
    networkOf: () => null,
    isUp: () => false,
    submit: async (submissions) => {
      if (!isSaid) log.error('no carrier link is set up: messages wait in the queue')
      isSaid = true
      return submissions.map(() => ({ kind: 'slow_down' }))
    },
    start: async () => {},
    stop: async () => {},
  }
}
