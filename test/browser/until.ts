// Waits until something is so on a page, drawing by drawing. Playwright's own waitForFunction evaluates text
// within the page, which its policy rightly refuses.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

const PATIENCE_MS = 60_000

export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!(await page.evaluate(expression))) {
    assert.ok(Date.now() < end, `waited in vain for ${expression}`)
    await nextDrawing(page)
  }
}

export async function nextDrawing(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
}
