// Which webhooks need attention: those that fail, and those that the service disabled.

import type { Webhook } from '../../generated/types.gen'

/** The API's reason if the owner disabled the webhook, which needs no notice. */
export const OFF_BY_OWNER = 'Disabled by the account owner'

export function isOffByOwner({ disabledReason }: Pick<Webhook, 'disabledReason'>): boolean {
  return disabledReason === OFF_BY_OWNER
}

export function needsAttention(webhook: Webhook): boolean {
  return webhook.enabled ? webhook.failingSince !== null : !isOffByOwner(webhook)
}
