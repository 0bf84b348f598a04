// What axe finds on a page: nothing serious, or the test says what and where.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Ends of an open menu, which hand the focus on at once: hidden, yet to be reached, and rightly so. */
const WHERE = { exclude: [['[data-base-ui-focus-guard]']] }

interface Finding {
  id: string
  impact: string
  nodes: { target: string[]; failureSummary: string }[]
}

export async function assertAccessible(page: Page): Promise<void> {
  // What is half way between two colours has no contrast that means anything.
  await page.evaluate(
    'Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))',
  )
  // Evaluated, not added as a script: the policy of the page would rightly refuse that.
  await page.evaluate(source)
  const findings = (await page.evaluate(
    `axe.run(${JSON.stringify(WHERE)}, { resultTypes: ["violations"] }).then((found) => found.violations)`,
  )) as Finding[]
  const serious = findings.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const words = serious.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  )
  assert.deepEqual(words, [], page.url())
}
