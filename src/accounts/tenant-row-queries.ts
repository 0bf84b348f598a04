// The account's own row, for inserts that take several rows from a relation of their statement: they read the
// account from it instead of the parameter. On a single PostgreSQL server that is one index lookup. On Citus
// it proves that all rows go to one shard, and the whole insert runs there. Otherwise Citus would gather it
// on the coordinator and first send everything it reads to every worker, including those that are down.

/** Join it as `own`. The account is $1. */
export const TENANT_ROW = '(select account_id from accounts where account_id = $1) own'

/**
 * The part after `from`: the rows of a relation that meet the condition, each joined with `own`. `key` is a
 * text column that is never empty. It is looked up once. PostgreSQL expects one row from relations it knows
 * nothing about and would join the other way round, with a lookup per row. An outer join that no condition
 * turns into an inner one prevents that.
 */
export function fromTenantRow(source: string, condition = 'true', key = 'id'): string {
  return `${TENANT_ROW} left join ${source} on ${condition} where coalesce(${key}, '') <> ''`
}
