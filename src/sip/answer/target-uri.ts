// The target of a redirected call in the trunk's format.

import { writeNumber } from '../forwarding/number-forms.js'
import { writeDiversion } from './past-forwardings.js'
import type { TrunkSettings } from './trunk.js'

/** Always a `sip:` address: `sips:` would require TLS on every hop, and trunks do not accept `tel:`. */
export function targetUri(target: string, trunk: TrunkSettings): string {
  const written = writeNumber(target, trunk.numberForms.written)
  const transport = trunk.contactTransport === null ? '' : `;transport=${trunk.contactTransport}`
  return `sip:${written}@${trunk.contactHost}${transport}`
}

/** The same, with the Diversion embedded if the trunk wants that. */
export function writeContact(number: string, target: string, trunk: TrunkSettings): string {
  const uri = targetUri(target, trunk)
  if (!trunk.isDiversionEmbedded) return uri
  return `${uri}?Diversion=${encodeURIComponent(writeDiversion(number, trunk))}`
}
