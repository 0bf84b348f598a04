// What axe finds on a page: nothing serious, or the test says what and where.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Ends of an open menu, which hand the focus on at once: hidden, yet to be reached, and rightly so. */
const WHERE = { exclude: [['[data-base-ui-focus-guard]']] }

/** A rule says how grave it is: those whose findings would not count are not asked. */
const OPTIONS = `{
  resultTypes: ["violations"],
  preload: false,
  rules: Object.fromEntries(
    axe._audit.rules
      .filter(({ impact }) => impact === "moderate" || impact === "minor")
      .map(({ id }) => [id, { enabled: false }]),
  ),
}`

interface Finding {
  id: string
  impact: string
  nodes: { target: string[]; failureSummary: string }[]
}

/** A page may change while it is looked at; what is wrong with it stays wrong. */
const LOOKS_MAX = 3

export async function assertAccessible(page: Page): Promise<void> {
  let found = await look(page)
  for (let looks = 1; found.length > 0 && looks < LOOKS_MAX; looks++) found = await look(page)
  assert.deepEqual(found, [], page.url())
}

async function look(page: Page): Promise<string[]> {
  // What is half way between two colours has no contrast that means anything.
  await page.evaluate(
    'Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))',
  )
  // Evaluated, not added as a script: the policy of the page would rightly refuse that. It stays until the next load.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source)
  const findings = (await page.evaluate(
    `axe.run(${JSON.stringify(WHERE)}, ${OPTIONS}).then((found) => found.violations)`,
  )) as Finding[]
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
}
