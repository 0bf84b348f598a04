// The operator page for people: found by email, a role for the installation, a recovery link, and deleting someone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR_TOKEN, operatorWith, personWith, signInAs } from '../people-fixtures.js'
import { assertAccessible } from './axe.js'
import { visit } from './browser.js'
import { fitsAcross } from './until.js'

test('an operator finds a person, changes the role, makes a recovery link, and deletes someone', async (t) => {
  const visited = await visit(t, { env: { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN } })
  if (!visited) return
  const { context, page, url, service } = visited
  const owner = await personWith(service, 'owner', 'ana@example.com')
  await personWith(service, 'agent', 'ben@example.com')
  await signInAs(context, url, await operatorWith(service, 'operator'))
  await page.goto(`${url}operator/users`)
  const table = page.getByRole('table', { name: 'Users' })
  await table.getByText('ben@example.com').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Email, name, or ID').fill('ana@')
  await page.keyboard.press('Enter')
  await table.getByText('ben@example.com').waitFor({ state: 'detached' })
  const act = async (name: string) => {
    await table.getByRole('button', { name: 'Actions for The owner' }).click()
    await page.getByRole('menuitem', { name }).click()
  }

  await act('Change role…')
  const roles = page.getByRole('dialog', { name: 'Role of The owner' })
  await assertAccessible(page)
  await roles.getByLabel('Support').check()
  await roles.getByRole('button', { name: 'Change role' }).click()
  await table.getByText('Support').waitFor()
  const session = (await owner.request('GET', '/console/session')).body
  assert.equal(session.user.accounts.length, 1, 'the role in the account stays')

  await act('Make a recovery link…')
  await page.getByRole('button', { name: 'Make link' }).click()
  const once = page.getByRole('dialog', { name: 'Recovery link for ana@example.com' })
  await once.getByText(/#k=lci_/).waitFor()
  await assertAccessible(page)
  await once.getByLabel('I saved it').check()
  await once.getByRole('button', { name: 'Done' }).click()

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('list', { name: 'Users' }).waitFor()
  await fitsAcross(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await act('Delete…')
  const confirm = page.getByRole('alertdialog', { name: 'Delete The owner?' })
  await confirm.getByLabel('Type the email address to confirm').fill('ana@example.com')
  await assertAccessible(page)
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No people match this search.').waitFor()
  assert.equal((await owner.request('GET', '/v1/account')).status, 401)
})
