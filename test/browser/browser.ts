// A real browser at a real service: Chromium of the system, driven over its own protocol. Where there is
// none the tests say so in one line; CI fails instead.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { makeLinkCode } from '../../src/accounts/session.js'
import { hashToken } from '../../src/accounts/token.js'
import { seedInventory } from '../../src/sandbox/seed-inventory.js'
import { type TestOptions, type TestService, testService } from '../harness.js'

const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
/** Pages of the browser's own behind its address bar: loaded with every window, at twice the price of ours. */
const OWN_PAGES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay']
/** What playwright switches off: of several lists the browser takes the last. */
const SWITCHED_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'PreconnectToSearch',
]
/**
 * No name and no address leads anywhere but here. Routes of playwright's could refuse the same, at the price of asking
 * Node about every request, and of the browser's cache, which is as useful here as it is to users.
 */
const NOTHING_OUTSIDE = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
const ARGS = [
  '--no-sandbox',
  `--disable-features=${[...SWITCHED_OFF, ...OWN_PAGES].join(',')}`,
  NOTHING_OUTSIDE,
]
const PATIENCE_MS = 180_000

export interface Visit {
  service: TestService
  page: Page
  context: BrowserContext
  /** Where the console is. */
  url: string
  /** The address that signs in once. */
  link: () => Promise<string>
  /** Signs in by the account's token and goes to a place. */
  enter: (place: string) => Promise<void>
}

/** Opens the console, not signed in. Null where there is no browser: the test is then skipped. */
export async function visit(t: TestContext, options: TestOptions = {}): Promise<Visit | null> {
  const program = findBrowser()
  if (program === null) {
    assert.ok(!process.env.CI, 'CI needs a browser: apt-get install chromium')
    t.skip('there is no browser here: install chromium, or name one in TEST_BROWSER')
    return null
  }
  const service = await testService(t, {
    roles: ['api', 'dispatch', 'deliver', 'schedule'],
    ...options,
  })
  await seedInventory(service.world.db)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const context = await newContext(await openBrowser(program))
  t.after(() => context.close())
  const page = await context.newPage()
  watch(t, page)
  const url = `http://127.0.0.1:${port}/console/`
  const { db, clock } = service.world
  const link = async () => `${url}#k=${await makeLinkCode(db, clock, hashToken(service.token))}`
  const enter = async (place: string) => {
    const signedIn = await context.request.post(`${url}session`, {
      headers: { 'x-longcode-console': '1' },
      data: { token: service.token },
    })
    assert.equal(signedIn.status(), 200)
    await page.goto(`${url}${place}`)
  }
  return { service, page, context, url, link, enter }
}

let running: Promise<Browser> | null = null
after(async () => (await running)?.close())

/** One for all tests of the process; each has a context of its own, which shares nothing. */
function openBrowser(program: string): Promise<Browser> {
  running ??= chromium.launch({ executablePath: program, args: ARGS })
  return running
}

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce', // a colour half way to another has no contrast that means anything
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

/** A page that fails, or that is kept from something by its policy, fails the test. */
function watch(t: TestContext, page: Page): void {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text())
  })
  page.on('requestfailed', (request) => {
    if (!request.url().startsWith('http://127.0.0.1:')) faults.push(`asked for ${request.url()}`)
  })
  t.after(() => assert.deepEqual(faults, [], 'no fault in the page'))
}

function findBrowser(): string | null {
  if (process.env.TEST_BROWSER) return process.env.TEST_BROWSER
  const folders = (process.env.PATH ?? '').split(':')
  const places = PROGRAMS.flatMap((program) => folders.map((folder) => `${folder}/${program}`))
  return places.find((place) => existsSync(place)) ?? null
}
