// Whether a complete test run has seen every refusal that the program declares, and every metric move. What no test
// reaches is reported, and does not fail the run yet: no complete run has shown that busy machines see the same.
// test/seen.ts notes what each test process saw in its replies and counters. What only other tests reach is listed here
// with its test: a raw socket, another process, a unit, or a program that is not installed everywhere. So is what a run
// sees only if its machine is busy: its test must not depend on that.

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
  idempotency_in_flight: 'test/flows/idempotent-writes.test.ts',
  oidc_refused: 'test/api/company-sign-in.test.ts',
  oidc_role_absent: 'test/api/company-sign-in.test.ts',
  oidc_unavailable: 'test/api/company-sign-in.test.ts',
  request_late: 'test/api/malformed-requests.test.ts',
  request_malformed: 'test/api/malformed-requests.test.ts',
  uploads_busy: 'test/flows/media-uploads.test.ts',
}

/** By metric: the test that moves it. */
const MOVED_ELSEWHERE = {
  longcode_account_quota_ratio: 'test/api/quotas.test.ts',
  longcode_accounts_at_quota: 'test/api/quotas.test.ts',
  longcode_accounts_empty: 'src/http/health/metrics-gauges.test.ts',
  longcode_accounts_near_quota: 'test/api/quotas.test.ts',
  longcode_database_workers_unreachable: 'src/http/health/metrics-gauges.test.ts',
}

/** Prints what is missing, with what to do. */
export function reportUnseen(folder, { refusals, oldNames }) {
  const seen = readAll(path.join(folder, 'seen'))
  // An old name has the value of its new one.
  const old = new Set(Object.values(oldNames))
  const declared = new Set([...seen.declared, ...documentedMetrics()])
  const metrics = [...declared].filter((name) => !old.has(name))
  const complaints = [
    ...missing('refusal', refusals, seen.refusals, REFUSED_ELSEWHERE),
    ...missing('metric', metrics, seen.moved, MOVED_ELSEWHERE),
  ]
  for (const complaint of complaints) console.log(complaint)
}

/** Of the tables of metrics. A gauge is declared only to those who read it, so no test may have seen it at all. */
function documentedMetrics() {
  const texts = readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(path.join('docs', name), 'utf8'))
  return texts.flatMap((text) =>
    [...text.matchAll(/^\| `(longcode_[a-z0-9_]+)/gm)].map(([, name]) => name),
  )
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
