// Who waits in this database for another's lock: on Citus that is mostly on a worker.

import { raw, sql } from '../src/kit/postgres/sql.js'
import { citusWorkers } from './administer.js'

const ACTIVITY = raw(citusWorkers().length > 0 ? 'citus_stat_activity' : 'pg_stat_activity')

export const WAITING = sql`
  select 1 from ${ACTIVITY}
  where datname = current_database() and wait_event_type = 'Lock'`
