// Resends held and failed deliveries, any number of them: one request covers 10,000.

import { request } from '../../api/request'

/** Returns how many are sent. Each request has its own key, so the whole can be repeated after a failure. */
export async function recoverAll(webhookId: string, since: string, key: string): Promise<number> {
  let count = 0
  for (let round = 1; ; round += 1) {
    const { recovered, hasMore } = await request('POST /v1/webhook/{id}/recover', {
      path: { id: webhookId },
      body: { since },
      key: `${key}-${round}`,
    })
    count += recovered
    if (!hasMore) return count
  }
}
