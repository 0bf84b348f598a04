// Where a redirected call goes, as a trunk takes it.

import { writeNumber } from '../forwarding/number-forms.js'
import { writeDiversion } from './past-forwardings.js'
import type { TrunkSettings } from './trunk.js'

/** Always a `sip:` address: `sips:` would bind every hop, and trunks do not take `tel:`. */
export function targetUri(target: string, trunk: TrunkSettings): string {
  const written = writeNumber(target, trunk.numberForms.written)
  const transport = trunk.contactTransport === null ? '' : `;transport=${trunk.contactTransport}`
  return `sip:${written}@${trunk.contactHost}${transport}`
}

/** The same, with the Diversion inside where the trunk wants it there. */
export function writeContact(number: string, target: string, trunk: TrunkSettings): string {
  const uri = targetUri(target, trunk)
  if (!trunk.isDiversionEmbedded) return uri
  return `${uri}?Diversion=${encodeURIComponent(writeDiversion(number, trunk))}`
}
