// Waits until something is so on a page, drawing by drawing. Playwright's own waitForFunction evaluates text
// within the page, which its policy rightly refuses.

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

const PATIENCE_MS = 180_000

export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!(await page.evaluate(expression))) {
    assert.ok(Date.now() < end, `waited in vain for ${expression} at ${page.url()}`)
    await nextDrawing(page)
  }
}

/** A field holds this text. Asked at once, it may still hold what it did before a click was drawn. */
export async function untilHolds(field: Locator, text: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const held = await field.inputValue()
    if (held === text) return
    assert.ok(Date.now() < end, `waited in vain for “${text}”: the field holds “${held}”`)
    await nextDrawing(field.page())
  }
}

/** Nothing scrolls sideways, once what has another width than before has been drawn. */
export async function fitsAcross(page: Page): Promise<void> {
  await until(page, 'document.documentElement.scrollWidth <= innerWidth')
}

export async function nextDrawing(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
}
