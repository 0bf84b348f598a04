// Checks a page with axe. A serious finding fails the test with its location.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Focus guards of an open menu: hidden but focusable on purpose. */
const WHERE = { exclude: [['[data-base-ui-focus-guard]']] }

/** Rules whose findings would not count are turned off. */
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

/** The page may change during the check, so findings are checked again. */
const CHECKS_MAX = 3

export async function assertAccessible(page: Page): Promise<void> {
  let found = await findProblems(page)
  for (let checks = 1; found.length > 0 && checks < CHECKS_MAX; checks++)
    found = await findProblems(page)
  assert.deepEqual(found, [], page.url())
}

/** Content outside of the landmarks that screen reader users jump between, and landmarks that exist twice. */
export async function listLandmarkProblems(page: Page): Promise<string[]> {
  await load(page)
  const rules = ['region', 'landmark-one-main', 'landmark-unique', 'landmark-no-duplicate-banner']
  const findings = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then((found) => found.violations)`,
  )) as Finding[]
  return findings.map(describe)
}

/** Evaluated, not added as a script, because the page's security policy refuses that. It stays until the next load. */
async function load(page: Page): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source)
}

function describe({ id, nodes }: Finding): string {
  return `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`
}

async function findProblems(page: Page): Promise<string[]> {
  // Contrast is meaningless in the middle of a color transition.
  await page.evaluate(
    'Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))',
  )
  await load(page)
  const findings = (await page.evaluate(
    `axe.run(${JSON.stringify(WHERE)}, ${OPTIONS}).then((found) => found.violations)`,
  )) as Finding[]
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(describe)
}
