// The account's own row, for inserts of several rows out of a relation of their statement: they take the account from
// it, not from the parameter. On one PostgreSQL that is one look into an index. On Citus it is what tells that all rows
// go to one shard: the insert runs there whole, where it would else be gathered on the coordinator, with
// everything it reads sent to every worker first, the ones that are down as well.

/** To be joined as `own`. The account is $1. */
export const TENANT_ROW = '(select account_id from accounts where account_id = $1) own'

/**
 * What comes after `from`: the rows of a relation for which the condition holds, each beside `own`. `key` is a text of every such row
 * that is never empty. Looked up once: PostgreSQL expects one row of relations that it knows nothing about, so that it would
 * join the other way round, with a look for each row, were it not for an outer join that no condition makes an inner one.
 */
export function fromTenantRow(source: string, condition = 'true', key = 'id'): string {
  return `${TENANT_ROW} left join ${source} on ${condition} where coalesce(${key}, '') <> ''`
}
