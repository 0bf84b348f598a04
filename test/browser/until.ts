// Waits for a condition on a page, frame by frame. Playwright's own waitForFunction evaluates text in the page, which
// its security policy refuses.

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { patienceMs } from '../patience.js'

export async function until(page: Page, expression: string): Promise<void> {
  const start = Date.now()
  while (!(await page.evaluate(expression))) {
    if (Date.now() > start + patienceMs())
      assert.fail(`timed out waiting for ${expression}: ${await stateOf(page)}`)
    await nextDrawing(page)
  }
}

/** For the message of a test that fails: where the page is, and what it complains about. */
async function stateOf(page: Page): Promise<string> {
  const alerts = await page.getByRole('alert').allInnerTexts()
  const place = await page.evaluate(
    '"scrolled to " + [scrollY, document.documentElement.scrollHeight] + ", focus on " + document.activeElement?.tagName',
  )
  return [page.url(), place, ...alerts].join('; ')
}

/** Waits until a field has this text. A click may not be rendered yet. */
export async function untilHolds(field: Locator, text: string): Promise<void> {
  const start = Date.now()
  for (;;) {
    const held = await field.inputValue()
    if (held === text) return
    assert.ok(
      Date.now() < start + patienceMs(),
      `timed out waiting for “${text}”: the field has “${held}”`,
    )
    await nextDrawing(field.page())
  }
}

/** Waits until nothing scrolls sideways after a width change. */
export async function fitsAcross(page: Page): Promise<void> {
  await until(page, 'document.documentElement.scrollWidth <= innerWidth')
}

export async function nextDrawing(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
}

interface Styled {
  ownerDocument: {
    defaultView: { getComputedStyle: (element: unknown) => Record<string, string> }
  }
}

/** A computed style, such as `backgroundColor`. The types of the browser are not available here. */
export function styleOf(locator: Locator, property: string): Promise<string> {
  return locator.evaluate((element, name) => {
    const { defaultView } = (element as unknown as Styled).ownerDocument
    return defaultView.getComputedStyle(element)[name]!
  }, property)
}
