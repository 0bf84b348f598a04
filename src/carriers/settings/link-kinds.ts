// Every kind of link that a carriers' file may name.

import type { LinkKind } from './link-kind.js'
import { bandwidthKind, telnyxKind, twilioKind } from './provider-kinds.js'
import { simulatorKind } from './simulator-kind.js'
import { smppKind } from './smpp-kind.js'

export const LINK_KINDS: Readonly<Record<string, LinkKind>> = {
  smpp: smppKind,
  telnyx: telnyxKind,
  bandwidth: bandwidthKind,
  twilio: twilioKind,
  simulator: simulatorKind,
}
