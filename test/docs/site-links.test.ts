// The links of the built documentation site: every address and anchor exists, every page is reachable from the sidebar,
// and every file in docs/ has a page.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const SITE = 'dist/docs'
/** Pages that the service makes, next to the site. */
const SERVED = new Set(['/docs/operator', '/console/', '/openapi.json', '/operator/openapi.json'])

const files = new Set(
  readdirSync(SITE, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.split(path.sep).join('/'),
  ),
)
const pages = [...files].filter((name) => name.endsWith('.html'))
const texts = new Map(pages.map((name) => [name, readFileSync(path.join(SITE, name), 'utf8')]))

/** The file at an address: `/docs/errors` is errors.html. */
function fileAt(address: string): string | null {
  const name = address.replace(/^\/docs\/?/, '').replace(/\/$/, '') || 'index'
  return [name, `${name}.html`].find((one) => files.has(one) && path.extname(one) !== '') ?? null
}

function linksOf(text: string): string[] {
  const found = text.matchAll(/ (?:href|src)="([^"]*)"/g)
  return [...found].map(([, link]) => link!.replaceAll('&amp;', '&'))
}

test('every link of the site leads to a page and an anchor that exist', () => {
  const broken: string[] = []
  for (const [page, text] of texts) {
    for (const link of linksOf(text)) {
      if (/^(?:https?|mailto):/.test(link) || SERVED.has(link)) continue
      const [address = '', anchor] = link.split('#')
      const file = address === '' ? page : fileAt(address)
      const isThere = file !== null && (address === '' || address.startsWith('/docs'))
      const hasAnchor = !anchor || texts.get(file ?? '')?.includes(` id="${decodeURI(anchor)}"`)
      if (!isThere || !hasAnchor) broken.push(`${page}: ${link}`)
    }
  }
  assert.ok(texts.size > 100, `only ${texts.size} pages`)
  assert.deepEqual(broken, [])
})

test('every page is reachable from the sidebar', () => {
  const sidebarOf = (page: string) =>
    linksOf(/<nav id="sidebar".*?<\/nav>/s.exec(texts.get(page)!)![0]).map((link) => fileAt(link)!)
  const reached = new Set(['index.html'])
  for (const page of reached) for (const next of sidebarOf(page)) reached.add(next)
  const unreached = pages.filter((page) => !reached.has(page))
  assert.deepEqual(
    unreached.filter((page) => page !== '404.html' && !page.startsWith('files/')),
    [],
  )
})

test('every Markdown file in docs has a page, the same page as Markdown, and a line in llms.txt or its index', () => {
  const sources = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map(
      (name) =>
        name
          .split(path.sep)
          .join('/')
          .replace(/(?:^|\/)README\.md$|\.md$/, '') || 'index',
    )
  for (const name of sources) {
    assert.ok(files.has(`${name}.html`), `${name} has no page`)
    assert.ok(files.has(`${name}.md`), `${name} has no Markdown`)
  }
  const listed = readFileSync(path.join(SITE, 'llms.txt'), 'utf8')
  for (const name of sources.filter((one) => !one.includes('/'))) {
    assert.ok(listed.includes(`(/docs/${name}.md)`), `${name} is not in llms.txt`)
  }
})

test('links in the Markdown version of a page lead to Markdown', () => {
  const broken: string[] = []
  for (const name of [...files].filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(path.join(SITE, name), 'utf8').replaceAll(/^```.*?^```/gms, '')
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:https?|mailto):/.test(link!)) continue
      const file = fileAt(link!.split('#')[0]!)
      const isFolder = file?.startsWith('files/')
      if (file === null || (file.endsWith('.html') && !isFolder)) broken.push(`${name}: ${link}`)
    }
  }
  assert.deepEqual(broken, [])
})
