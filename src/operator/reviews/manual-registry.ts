// The registry of a service whose reviews are made by people: brands and campaigns wait in the
// operator's queue until somebody decides, over HTTP or on the command line. Nothing runs by itself.

import type { Registry } from '../../campaigns/review/registry-port.js'

export function createManualRegistry(): Registry {
  return { name: 'manual', loops: [] }
}
