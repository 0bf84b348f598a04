// The pages of the site: which file becomes which address, and where a link in a file leads. A link to a page of the
// site leads to that page. A link to another file of the repository leads to a copy, because readers may not have it.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { SIDEBAR } from './sidebar.mjs'

const NAMES = new Map([
  ['docs/README.md', ''],
  ['.env.example', 'settings'],
  ['openapi.json', 'api'],
  ['CODE_OF_CONDUCT.md', 'code-of-conduct'],
  ['examples/README.md', 'examples'],
])

/** `docs/carriers/telnyx.md` is at `carriers/telnyx`, and `docs/runbooks/README.md` at `runbooks`. */
function addressOf(file) {
  const known = NAMES.get(file)
  if (known !== undefined) return known
  if (!file.includes('/')) return file.toLowerCase().replace(/\.md$/, '')
  return file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '')
}

/** Every page in the order of the sidebar: file, address, title in the sidebar, section, and the page it is below. */
export function listPages() {
  const pages = SIDEBAR.flatMap((section) =>
    section.pages.flatMap(({ file, title, below }) => {
      const page = { file, address: addressOf(file), short: title, section: section.title }
      if (!below) return [page]
      const files = readdirSync(below).filter(
        (name) => name.endsWith('.md') && name !== 'README.md',
      )
      const children = files.map((name) => {
        const child = below + name
        return { file: child, address: addressOf(child), section: section.title, parent: file }
      })
      return [page, ...children]
    }),
  )
  return pages.filter(({ file }) => existsSync(file))
}

/** Resolves links of files, and remembers the copies that they need. */
export class Links {
  #addresses
  #base
  /** Files of the repository that pages link to. */
  copies = new Set()
  folders = new Set()
  /** Links that lead nowhere: `file: target`. */
  broken = []
  /** Anchors to check once every page is rendered. */
  anchors = []

  constructor(pages, base) {
    this.#addresses = new Map(pages.map(({ file, address }) => [file, address]))
    this.#base = base
  }

  /** The address for a link in a file. `suffix` is `.md` in the Markdown version of a page. */
  resolve(file, href, suffix = '') {
    if (/^(?:[a-z]+:|\/)/.test(href)) return href
    const [target, anchor] = href.split('#')
    const named = target === '' ? file : path.posix.join(path.posix.dirname(file), target)
    const clean = named.replace(/\/$/, '')
    const address = this.#addressOf(clean)
    if (anchor !== undefined) this.anchors.push({ file, href, target: clean, anchor })
    const hash = anchor === undefined ? '' : `#${anchor}`
    if (address !== undefined && target === '' && suffix === '') return hash
    if (address !== undefined) return this.#base + this.#withSuffix(address, suffix) + hash
    if (!existsSync(clean)) {
      this.broken.push(`${file}: ${href}`)
      return href
    }
    if (statSync(clean).isDirectory()) {
      this.folders.add(clean)
      return `${this.#base}files/${clean}`
    }
    this.copies.add(clean)
    return this.#base + copyOf(clean) + hash
  }

  #addressOf(file) {
    return this.#addresses.get(file) ?? this.#addresses.get(`${file}/README.md`)
  }

  #withSuffix(address, suffix) {
    return suffix === '' ? address : `${address || 'index'}${suffix}`
  }
}

/** Pictures keep their place. Other files are copied with `.txt`, so browsers show them. */
export function copyOf(file) {
  if (/\.(?:png|svg)$/.test(file)) return file.replace(/^docs\//, '')
  return `files/${file}${file.endsWith('.txt') ? '' : '.txt'}`
}

export function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.posix.join(entry.parentPath, entry.name))
    .sort()
}

export function readText(file) {
  return readFileSync(file, 'utf8')
}
