// A carrier link is paused and resumed on the console's Carriers page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible } from './axe.js'
import { operatorVisit } from './operator-visit.js'
import { fitsAcross } from './until.js'

const BLURRED =
  '[...document.querySelectorAll("*")].filter((one) => getComputedStyle(one).backdropFilter !== "none").length'

test('an operator pauses a link with a reason, sees it, and resumes it', async (t) => {
  const visited = await operatorVisit(t)
  if (!visited) return
  const { page, openOperatorPage, operate } = visited
  await openOperatorPage('carriers')
  await page.getByRole('button', { name: 'Pause' }).click()
  const dialog = page.getByRole('alertdialog')
  // Without a graphics processor, drawing a blurred page takes more time than all else that the dialog does.
  assert.equal(await page.evaluate(BLURRED), 0)
  await dialog.getByLabel('Reason').fill('Maintenance at the carrier until 3 AM')
  await dialog.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Maintenance at the carrier until 3 AM').waitFor()
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await assertAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await fitsAcross(page)
  const paused = (await operate('GET', '/carrier/list')).body.links[0]
  assert.equal(paused.state, 'paused')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const resumed = (await operate('GET', '/carrier/list')).body.links[0]
  assert.deepEqual([resumed.state, resumed.pause], ['up', null])
})
