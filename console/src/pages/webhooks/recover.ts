// Sends again what was held or has failed, however much it is: one call sends ten thousand.

import type { RecoverDeliveriesReply } from '../../../generated/types.gen'
import { call } from '../../api/call'

/** How many are sent. Each call has a key of its own, so that the whole can be repeated after a failure. */
export async function recoverAll(
  webhookId: string,
  since: string,
  idempotencyKey: string,
): Promise<number> {
  let count = 0
  for (let round = 1; ; round += 1) {
    const { recovered, hasMore } = await call<RecoverDeliveriesReply>(
      'POST',
      `/v1/webhook/${webhookId}/recover`,
      { body: { since }, idempotencyKey: `${idempotencyKey}-${round}` },
    )
    count += recovered
    if (!hasMore) return count
  }
}
