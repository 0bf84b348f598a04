// Finds sessions of this database that wait for a lock. On Citus they mostly wait on a worker.

import { raw, sql } from '../src/kit/postgres/sql.js'
import { citusWorkers } from './administer.js'

const ACTIVITY = raw(citusWorkers().length > 0 ? 'citus_stat_activity' : 'pg_stat_activity')

export const WAITING = sql`
  select 1 from ${ACTIVITY}
  where datname = current_database() and wait_event_type = 'Lock'`
