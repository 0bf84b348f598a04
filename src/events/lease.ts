// When a delivery may be taken: one condition for everybody who claims, holds, counts or looks for them.

import { piece, raw } from '../kit/postgres/sql.js'

/** Nobody has the row of this name, or whoever had it is gone. */
export const isFree = (row: string, now: Date) =>
  piece`(${raw(row)}.lease_until is null or ${raw(row)}.lease_until <= ${now})`
