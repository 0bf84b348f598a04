// Which accounts of the installation have used up a quota, or nearly. Read from the counters, as they were seconds ago.

import type { AccountId } from '../accounts/account.js'
import type { QuotaName, Quotas } from '../accounts/quota.js'
import type { Queryable } from '../kit/postgres/db.js'
import { acrossAccounts, sql } from '../kit/postgres/sql.js'

export interface HighUse {
  accountId: AccountId
  name: QuotaName
  /** Of the limit: 1 if all of it is used. */
  share: number
}

/** Those that use at least this share of a limit. Reads every account that has one. */
export async function listHighUse(
  db: Queryable,
  installation: Quotas,
  shareMin: number,
): Promise<HighUse[]> {
  const { queuedMessages, storedMessages, mediaBytes, webhooks } = installation
  const statement = sql`
    select a.account_id as "accountId", q.name, (q.used / q.max)::float8 as share
    from accounts a
      left join (select account_id, sum(count) as used from open_counts
        where status in ('QUEUED', 'SCHEDULED') group by account_id) o on o.account_id = a.account_id
      left join (select account_id, sum(added - removed) as used from stored_counts
        group by account_id) s on s.account_id = a.account_id
      left join (select account_id, sum(bytes) as used from media_totals
        group by account_id) m on m.account_id = a.account_id
      left join (select account_id, count(*) as used from webhooks
        where campaign_id <> '' group by account_id) w on w.account_id = a.account_id
      cross join lateral (values
        ('queuedMessages', o.used::numeric, coalesce(a.queued_messages_max, ${queuedMessages}::bigint)),
        ('storedMessages', s.used::numeric, coalesce(a.stored_messages_max, ${storedMessages}::bigint)),
        ('mediaBytes', m.used::numeric, coalesce(a.media_bytes_max, ${mediaBytes}::bigint)),
        ('webhooks', w.used::numeric, coalesce(a.webhooks_max, ${webhooks}::bigint))
      ) q (name, used, max)
    where q.max > 0 and q.used >= q.max * ${shareMin}::numeric`
  return db.query<HighUse>(acrossAccounts(statement))
}
