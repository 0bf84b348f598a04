// Which webhooks somebody has to look at: those that fail, and those that the rules switched off.

import type { Webhook } from '../../generated/types.gen'

/** As the API says it: who switched a webhook off need not be told. */
const OFF_BY_OWNER = 'Switched off by a request of the account'

export function isOffByOwner({ disabledReason }: Pick<Webhook, 'disabledReason'>): boolean {
  return disabledReason === OFF_BY_OWNER
}

export function needsSomebody(webhook: Webhook): boolean {
  return webhook.enabled ? webhook.failingSince !== null : !isOffByOwner(webhook)
}
