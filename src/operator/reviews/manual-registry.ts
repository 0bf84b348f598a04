// The registry for manual reviews: brands and campaigns wait in the operator's queue until an operator decides, over
// HTTP or on the command line. Nothing happens automatically.

import type { Registry } from '../../campaigns/review/registry-port.js'

export function createManualRegistry(): Registry {
  return { name: 'manual', loops: [] }
}
