// Whether a complete test run has seen every refusal that the program declares, and every metric move. What no test
// reaches is reported, and does not fail the run yet: the list is not empty. test/seen.ts notes what each test process
// saw in its replies; what only other tests reach (a raw socket, another process, a unit) is listed here with its test.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** By refusal: the test that asserts it. */
const REFUSED_ELSEWHERE = {
  body_not_utf8: 'test/api/malformed-requests.test.ts',
  connections_exhausted: 'test/faults/connections.test.ts',
  connections_per_address: 'test/faults/connections.test.ts',
  forwardings_too_many: 'test/api/set-number-forwarding.test.ts',
  headers_too_large: 'test/api/malformed-requests.test.ts',
  host_invalid: 'test/api/malformed-requests.test.ts',
  oidc_refused: 'test/api/company-sign-in.test.ts',
  oidc_role_absent: 'test/api/company-sign-in.test.ts',
  oidc_unavailable: 'test/api/company-sign-in.test.ts',
  request_late: 'test/api/malformed-requests.test.ts',
  request_malformed: 'test/api/malformed-requests.test.ts',
}

/** By metric: the test that moves it. */
const MOVED_ELSEWHERE = {
  longcode_accounts_empty: 'src/http/health/metrics-gauges.test.ts',
  longcode_database_workers_unreachable: 'src/http/health/metrics-gauges.test.ts',
}

/** Prints what is missing, with what to do. */
export function reportUnseen(folder, refusals) {
  const seen = readAll(path.join(folder, 'seen'))
  const complaints = [
    ...missing('refusal', refusals, seen.refusals, REFUSED_ELSEWHERE),
    ...missing('metric', seen.declared, seen.moved, MOVED_ELSEWHERE),
  ]
  for (const complaint of complaints) console.log(complaint)
}

function readAll(folder) {
  const seen = { refusals: new Set(), declared: new Set(), moved: new Set() }
  const files = existsSync(folder) ? readdirSync(folder) : []
  for (const file of files) {
    const own = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
    for (const kind of Object.keys(seen)) for (const name of own[kind]) seen[kind].add(name)
  }
  return seen
}

function missing(what, names, seen, elsewhere) {
  const unseen = [...names].filter((name) => !seen.has(name) && !(name in elsewhere)).sort()
  const stale = Object.entries(elsewhere).filter(([name, file]) => !asserts(file, name))
  return [
    ...unseen.map(
      (name) =>
        `No test has seen the ${what} ${name}: add one, or name it in scripts/check-seen.mjs`,
    ),
    ...stale.map(
      ([name, file]) => `${file} does not mention the ${what} ${name}: see scripts/check-seen.mjs`,
    ),
  ]
}

function asserts(file, name) {
  return existsSync(file) && readFileSync(file, 'utf8').includes(name)
}
