// Builds the documentation site: `npm run docs`. It is a folder of static files: each page as HTML and as Markdown, a
// search index, and llms.txt. The service serves it at /docs. To publish it elsewhere:
// `npm run docs -- --out public --base /`. A link that leads nowhere is an error, except with `--lenient`.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'
import { apiPage } from './api.mjs'
import { createLayout } from './layout.mjs'
import { llmsText, summaryOf } from './llms.mjs'
import { render, withLinks } from './markdown.mjs'
import { copyOf, filesIn, Links, listPages, readText } from './pages.mjs'
import { searchIndex } from './search-index.mjs'
import { settingsPage } from './settings.mjs'

process.chdir(path.resolve(import.meta.dirname, '../..'))
const out = argument('--out') ?? 'dist/docs'
const base = (argument('--base') ?? '/docs').replace(/\/?$/, '/')
const draft = `${out.replace(/\/$/, '')}-draft`

const started = performance.now()
const pages = listPages()
const links = new Links(pages, base)
try {
  rmSync(draft, { recursive: true, force: true })
  for (const page of pages) readPage(page)
  const wrong = [...links.broken, ...brokenAnchors()]
  if (wrong.length > 0 && !process.argv.includes('--lenient'))
    throw new Error(`These links lead nowhere:\n  ${wrong.join('\n  ')}`)
  writeSite()
  mkdirSync(path.dirname(out), { recursive: true })
  rmSync(out, { recursive: true, force: true })
  renameSync(draft, out)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${pages.length} pages in ${out} (${seconds} s)`)
} catch (error) {
  rmSync(draft, { recursive: true, force: true })
  console.error(`The documentation was not built. ${error.message}`)
  process.exitCode = 1
}

function argument(flag) {
  const at = process.argv.indexOf(flag)
  return at < 0 ? null : process.argv[at + 1]
}

function readPage(page) {
  page.text = textOf(page.file)
  page.rendered = render(page.text, (href) => links.resolve(page.file, href))
  page.title = page.rendered.headings[0]?.title ?? page.short
  page.sections = page.rendered.sections
  page.summary = summaryOf(page.sections)
}

function textOf(file) {
  const text = readText(file)
  if (file === '.env.example') return settingsPage(text)
  if (file === 'openapi.json') return apiPage(JSON.parse(text))
  return text
}

function brokenAnchors() {
  const ids = new Map(pages.map(({ file, rendered }) => [file, rendered.ids]))
  return links.anchors
    .filter(({ target, anchor }) => {
      const found = ids.get(target) ?? ids.get(`${target}/README.md`)
      return found && !found.has(anchor)
    })
    .map(({ file, href }) => `${file}: ${href}`)
}

function writeSite() {
  const assets = writeAssets()
  const layout = createLayout({ base, pages, assets })
  for (const page of pages) {
    const name = page.address || 'index'
    write(`${name}.html`, layout(page, page.rendered))
    write(
      `${name}.md`,
      withLinks(page.text, (href) => links.resolve(page.file, href, '.md')),
    )
  }
  write('404.html', layout(...missingPage()))
  for (const folder of links.folders) write(`files/${folder}.html`, layout(...folderPage(folder)))
  for (const file of links.copies) write(copyOf(file), readFileSync(file))
  write('openapi.json', readFileSync('openapi.json'))
  write('llms.txt', llmsText(pages, base))
}

function missingPage() {
  const html = `<h1>Page not found</h1>\n<p>No page has this address. Use the search, or start at the <a href="${base}">overview</a>.</p>\n`
  return [
    { title: 'Page not found', isHidden: true },
    { html, headings: [] },
  ]
}

/** A folder that a page links to: its files, each as a copy. */
function folderPage(folder) {
  const files = filesIn(folder)
  for (const file of files) links.copies.add(file)
  const items = files.map((file) => `<li><a href="${base}${copyOf(file)}">${file}</a></li>`)
  const html = `<h1>${folder}</h1>\n<p>The files in this folder.</p>\n<ul>${items.join('\n')}</ul>\n`
  return [
    { title: folder, isHidden: true },
    { html, headings: [] },
  ]
}

function writeAssets() {
  const bundle = (file) => {
    const { outputFiles } = buildSync({
      entryPoints: [path.join(import.meta.dirname, file)],
      bundle: true,
      minify: true,
      write: false,
      format: 'iife',
      target: 'es2022',
      external: ['*.woff2'],
      logLevel: 'error',
    })
    return outputFiles[0].text
  }
  const font = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
  const fontName = asset('inter.woff2', readFileSync(font))
  const style = bundle('site.css').replace('inter.woff2', path.basename(fontName))
  return {
    style: asset('site.css', style),
    script: asset('site.js', bundle('browser.mjs')),
    theme: asset('theme.js', readFileSync('console/public/theme.js')),
    icon: asset('icon.svg', readFileSync(path.join(import.meta.dirname, 'icon.svg'))),
    index: asset('search.json', searchIndex(pages)),
  }
}

/** The name contains a hash of the content, so browsers store it for good. */
function asset(name, content) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const { name: stem, ext } = path.parse(name)
  const file = `assets/${stem}-${hash}${ext}`
  write(file, content)
  return file
}

function write(file, content) {
  const target = path.join(draft, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, content)
}
