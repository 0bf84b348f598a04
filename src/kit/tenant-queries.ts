// What statements say in a form that PostgreSQL and Citus both plan well, with the reasons. Queries use these pieces
// and need not know how rows are distributed: every statement of an account filters by account_id, and these keep it on
// the one shard of that account. test/statement-rules.mjs checks the statements that tests run.
// Two rules have no piece here, because they are about the form of a whole statement on Citus: an update does not compute
// with columns, and relations that must be read at one point in time are joined without a `union`, which would read them
// one after the other.

/** The account's own row. Join it as `own`. The account is $1. */
export const TENANT_ROW = '(select account_id from accounts where account_id = $1) own'

/**
 * For inserts that take several rows from a relation of their statement: the part after `from`, with the rows of the
 * relation that meet the condition, each joined with `own`. They read the account from it instead of the parameter. On
 * a single PostgreSQL server that is one index lookup. On Citus it proves that all rows go to one shard, and the whole
 * insert runs there. Otherwise Citus would gather it on the coordinator and first send everything it reads to every
 * worker, including those that are down. `key` is a text column that is never empty.
 */
export function fromTenantRow(source: string, condition = 'true', key = 'id'): string {
  return `${TENANT_ROW} left join ${source} on ${condition} where ${isJoined(key)}`
}

/**
 * Turns a left join into what an inner join returns. `key` is a text column of the joined relation that is never empty.
 * PostgreSQL expects one row from relations it knows nothing about, and would do an inner join the other way round,
 * with a lookup per row. An outer join that no condition turns into an inner one prevents that.
 */
export function isJoined(key: string): string {
  return `coalesce(${key}, '') <> ''`
}

/**
 * A function that returns its text, but when a statement runs, not in its plan. For tables that are partitioned by time:
 * one plan serves all IDs. With IDs known at planning time, PostgreSQL would plan at every execution, because reading
 * one partition seems worth it.
 */
export const AT_EXECUTION = 'concat'

/** A later time, added in UTC. It depends on no setting, and Citus requires that of values an update returns. */
export function laterBy(time: string, seconds: number): string {
  return `(${time} at time zone 'UTC' + interval '${seconds} seconds') at time zone 'UTC'`
}

/** A difference of two times depends on no setting. Citus rejects a time minus an interval in an upsert. */
export function isOlderBy(time: string, earlier: string, ms: number): string {
  return `${time} - ${earlier} >= interval '${ms} milliseconds'`
}
