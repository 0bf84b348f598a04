// The tests of a process share a browser context (test/browser/browser.ts), and nothing that one of them has stored.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { visit } from './browser.js'

const STORES = ['localStorage', 'sessionStorage'].map((store) => `${store}.length`)
const STORED = `(async () => [${STORES}, document.cookie.length, (await indexedDB.databases()).length])()`
const STORE = `new Promise((done) => {
  localStorage.setItem('a', 'b')
  sessionStorage.setItem('a', 'b')
  document.cookie = 'a=b; max-age=3600'
  indexedDB.open('a').onsuccess = ({ target }) => done(target.result.close())
})`
const HOSTS = ['127.0.0.1', 'localhost']

async function onEachHost(page: Page, url: string, expression: string): Promise<unknown[]> {
  const found = []
  for (const host of HOSTS) {
    await page.goto(url.replace('127.0.0.1', host))
    await page.getByRole('heading', { name: /^Sign in/ }).waitFor()
    found.push(await page.evaluate(expression))
  }
  return found
}

test('a test signs in, and stores something in each way, under both names of the machine', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url, enter } = visited
  await onEachHost(page, url, STORE)
  for (const counts of await onEachHost(page, url, STORED)) assert.ok(!String(counts).includes('0'))
  await enter('numbers')
  await page.getByRole('heading', { name: 'Numbers' }).waitFor()
})

test('the test after it is not signed in, and finds nothing stored', async (t) => {
  const visited = await visit(t)
  if (!visited) return
  const { page, url } = visited
  const empty = [0, 0, 0, 0]
  assert.deepEqual(await onEachHost(page, url, STORED), [empty, empty])
})
