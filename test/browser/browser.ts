// A real browser with a real service: the system's Chromium, driven over its own protocol. Without one, the tests are
// skipped with a message. CI fails instead.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { after, type TestContext } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core'
import { makeLinkCode } from '../../src/accounts/session.js'
import { hashToken } from '../../src/accounts/token.js'
import { openDatabase } from '../../src/kit/postgres/db.js'
import { seedInventory } from '../../src/sandbox/seed-inventory.js'
import { freePort } from '../free-port.js'
import {
  beforeStop,
  cloneDatabase,
  type TestDatabase,
  type TestOptions,
  type TestService,
  testService,
} from '../harness.js'

const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
/** Chromium's own pages behind the address bar: loaded with every window, at twice the cost of the console. */
const OWN_PAGES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'LensOverlay']
/** Features that Playwright disables. Of several lists, the browser uses the last. */
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
 * No host resolves except this machine. Playwright routes could block requests too, but they ask Node about every
 * request and disable the browser's cache, which users have.
 */
const NOTHING_OUTSIDE =
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'
const ARGS = [
  '--no-sandbox',
  `--disable-features=${[...SWITCHED_OFF, ...OWN_PAGES].join(',')}`,
  '--process-per-site', // pages share compiled code
  NOTHING_OUTSIDE,
]
const PATIENCE_MS = 180_000

/** What a test may use of the context. The rest of it would stay for the tests after it: see `contextApart`. */
export type SharedContext = Pick<
  BrowserContext,
  'newPage' | 'newCDPSession' | 'request' | 'addCookies' | 'clearCookies' | 'browser'
>

export interface Visit {
  service: TestService
  page: Page
  context: SharedContext
  /** The URL of the console. */
  url: string
  /** The link that signs in once. */
  link: () => Promise<string>
  /** Signs in with the account's token and opens a path. */
  enter: (place: string) => Promise<void>
}

/** Opens the console without signing in. Null: there is no browser, and the test is skipped. */
export async function visit(
  t: TestContext,
  options: TestOptions = {},
  listenAt = 0,
): Promise<Visit | null> {
  const program = findBrowser()
  if (program === null) {
    assert.ok(!process.env.CI, 'CI needs a browser: apt-get install chromium')
    t.skip('no browser found: install chromium, or set TEST_BROWSER')
    return null
  }
  const service = await testService(t, {
    roles: ['api', 'dispatch', 'deliver', 'schedule'],
    database: await cloneStocked(),
    ...options,
  })
  const { port } = await listen(service, listenAt)
  const origin = `http://127.0.0.1:${port}`
  const { context, clear } = await openShared(program, origin)
  beforeStop(service.world, () => clear(port))
  const page = await context.newPage()
  watch(t, page)
  const url = `${origin}/console/`
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

let stocked: Promise<TestDatabase> | null = null
after(async () => (await stocked)?.drop())

/** A database with the inventory of the sandbox. It has 8,000 numbers, so it is written once and copied as files. */
async function cloneStocked(): Promise<TestDatabase> {
  stocked ??= stock()
  return cloneDatabase(new URL((await stocked).url).pathname.slice(1))
}

async function stock(): Promise<TestDatabase> {
  const database = await cloneDatabase()
  const { url } = database
  const db = openDatabase({ url, poolMax: 1, applicationName: 'tests', onError: () => {} })
  await seedInventory(db)
  await db.end()
  return database
}

let ownPort: Promise<number> | null = null

/** On the same port for all tests of the process, because scripts of another origin would be compiled again. */
async function listen({ app }: TestService, port: number): Promise<AddressInfo> {
  ownPort ??= freePort()
  const places = port > 0 ? [port] : [await ownPort, 0] // the second if another process has taken the first meanwhile
  for (const [i, place] of places.entries()) {
    try {
      await app.listen({ host: '127.0.0.1', port: place })
      break
    } catch (error) {
      if (i === places.length - 1) throw error
    }
  }
  return app.server.address() as AddressInfo
}

interface Shared {
  context: BrowserContext
  /** Removes all that a test has left, apart from cached files, whose names are hashes of their content. */
  clear: (port: number) => Promise<void>
}

let running: Promise<Browser> | null = null
let shared: Promise<Shared> | null = null
after(async () => (await running)?.close())

/**
 * One browser and one context for all tests of the process: in a new one, Chromium would load and compile the console
 * again, a seventh of the CPU time of a test (docs/decisions/0134). Each test has its own pages.
 */
function openShared(program: string, origin: string): Promise<Shared> {
  running ??= chromium.launch({ executablePath: program, args: ARGS })
  shared ??= running.then((browser) => share(browser, origin))
  return shared
}

async function share(browser: Browser, origin: string): Promise<Shared> {
  const context = await newContext(browser)
  // The process that has the compiled code ends with its last page, so this one stays.
  const anchor = await context.newPage()
  await anchor.goto(`${origin}/favicon.svg`)
  const cdp = await context.newCDPSession(anchor)
  const clear = async (port: number) => {
    for (const page of context.pages()) if (page !== anchor) await page.close()
    await context.clearCookies()
    for (const host of ['127.0.0.1', 'localhost']) await clearStorage(cdp, `http://${host}:${port}`)
  }
  return { context, clear }
}

async function clearStorage(cdp: CDPSession, origin: string): Promise<void> {
  await cdp.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
}

/** For another person, or for what stays in a context: its network, routes, clock, permissions, and listeners. */
export async function contextApart(t: TestContext, shared: SharedContext) {
  const context = await newContext(shared.browser()!)
  t.after(() => context.close())
  return context
}

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce', // contrast is meaningless during a color transition
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return context
}

/** A page error or a violated security policy fails the test. */
function watch(t: TestContext, page: Page): void {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text())
  })
  page.on('requestfailed', (request) => {
    const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost):/.test(request.url())
    if (!isHere) faults.push(`requested ${request.url()}`)
  })
  t.after(() => assert.deepEqual(faults, [], 'the page has no errors'))
}

function findBrowser(): string | null {
  if (process.env.TEST_BROWSER) return process.env.TEST_BROWSER
  const folders = (process.env.PATH ?? '').split(':')
  const places = PROGRAMS.flatMap((program) => folders.map((folder) => `${folder}/${program}`))
  return places.find((place) => existsSync(place)) ?? null
}
