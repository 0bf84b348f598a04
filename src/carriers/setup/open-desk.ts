// The desk of a provider, with what is known of the account there.

import { openBandwidthDesk } from '../providers/bandwidth/provisioning.js'
import type { ProviderName } from '../providers/provider-codes.js'
import type { ProviderDesk } from '../providers/provisioning.js'
import type { DeskReach } from '../providers/provisioning-client.js'
import { openTelnyxDesk } from '../providers/telnyx/provisioning.js'
import { openTwilioDesk } from '../providers/twilio/provisioning.js'
import { USUAL_URLS } from './setup-fields.js'

/** Of a field that must be there by now, or may be absent. */
type FieldOf = (name: string) => string | undefined

export function openDesk(kind: ProviderName, fieldOf: FieldOf, reach: DeskReach): ProviderDesk {
  const usual = USUAL_URLS[kind]
  const at = (name: string) => fieldOf(name) ?? usual[name] ?? ''
  const maybe = (name: string) => {
    const value = fieldOf(name)
    return value === undefined ? {} : { [name]: value }
  }
  switch (kind) {
    case 'telnyx':
      return openTelnyxDesk({ url: at('url'), apiKey: at('apiKey') }, reach)
    case 'bandwidth':
      return openBandwidthDesk(
        {
          ...{ url: at('url'), dashboardUrl: at('dashboardUrl'), accountId: at('accountId') },
          ...{ user: at('user'), password: at('password') },
          ...maybe('siteId'),
          ...maybe('locationId'),
        },
        reach,
      )
    case 'twilio':
      return openTwilioDesk(
        {
          ...{ url: at('url'), messagingUrl: at('messagingUrl'), accountSid: at('accountSid') },
          authToken: at('authToken'),
          ...maybe('apiKey'),
          ...maybe('apiSecret'),
        },
        reach,
      )
  }
}
