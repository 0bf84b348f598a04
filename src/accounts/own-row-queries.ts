// The account's own row, for inserts of several rows out of a relation of their statement: they take the account from
// it, not from the parameter. On one PostgreSQL that is one look into an index. On Citus it is what tells that all rows
// go to one shard: the insert runs there whole, where it would else be gathered on the coordinator, with
// everything it reads sent to every worker first, the ones that are down as well.

/** To be joined as `own`. The account is $1. */
export const OWN_ROW = '(select account_id from accounts where account_id = $1) own'
