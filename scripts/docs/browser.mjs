// What runs in the reader's browser: the search, the theme, and a button that copies code. Every page is readable
// without it. It loads nothing except the search index, when the search is opened.

import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS } from './search-index.mjs'

const RESULTS_MAX = 12
const CONTEXT = 60
const COPIED_MS = 1_500
const THEMES = ['system', 'light', 'dark']
const THEME_KEY = 'longcode.theme'
const { base, index: indexAddress } = document.body.dataset

const dialog = document.querySelector('.finder')
const input = dialog.querySelector('input')
const list = dialog.querySelector('#found')
const status = dialog.querySelector('.status')
let index = null
let selected = 0

startTheme()
startSearch()
addCopyButtons()
showPlaceInSidebar()

function startTheme() {
  const button = document.querySelector('.theme')
  const root = document.documentElement
  const current = () => root.dataset.theme ?? 'system'
  const label = () => button.setAttribute('aria-label', `Theme: ${current()}. Switch theme`)
  button.hidden = false
  label()
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length]
    if (next === 'system') delete root.dataset.theme
    else root.dataset.theme = next
    label()
    try {
      localStorage.setItem(THEME_KEY, next)
    } catch {
      // Without storage, it applies to this page only.
    }
  })
}

function startSearch() {
  const button = document.querySelector('header .search')
  button.hidden = false
  button.addEventListener('click', open)
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
    const isShortcut =
      (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey))
    if (!isShortcut || dialog.open) return
    event.preventDefault()
    void open() // shows its own failures
  })
  dialog.querySelector('.ask button').addEventListener('click', () => dialog.close())
  input.addEventListener('input', show)
  input.addEventListener('keydown', move)
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.closest('a')) dialog.close()
  })
}

async function open() {
  dialog.showModal()
  input.select()
  if (index === null) {
    status.textContent = 'Loading …'
    try {
      const response = await fetch(indexAddress)
      if (!response.ok) throw new Error(`HTTP ${response.status}`)
      index = MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS)
    } catch (error) {
      status.textContent = `The search index could not be loaded: ${error.message}`
      return
    }
  }
  show()
}

function show() {
  if (index === null) return
  const text = input.value.trim()
  const found = text === '' ? [] : find(text)
  selected = 0
  list.replaceChildren(...found.map(resultItem))
  input.setAttribute('aria-expanded', String(found.length > 0))
  status.textContent = describe(text, found.length)
  select(0)
}

/** All words first. If nothing has all of them, any word. */
function find(text) {
  const all = index.search(text)
  const found = all.length > 0 ? all : index.search(text, { combineWith: 'OR' })
  return found.slice(0, RESULTS_MAX)
}

function describe(text, count) {
  if (text === '') return 'Type to search all pages, endpoints, error codes, and settings.'
  if (count === 0) return 'No results.'
  return count === 1 ? '1 result' : `${count} results`
}

function resultItem({ title, page, address, text, terms }, at) {
  const link = document.createElement('a')
  link.role = 'option'
  link.id = `found-${at}`
  link.href = base + address
  link.tabIndex = -1
  const heading = document.createElement('strong')
  heading.textContent = title
  const place = document.createElement('span')
  place.textContent = title === page ? '' : page
  const excerpt = document.createElement('p')
  excerpt.append(...marked(around(text, terms), terms))
  link.append(heading, place, excerpt)
  link.addEventListener('pointermove', () => select(at))
  return link
}

function around(text, terms) {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const from = Math.max(0, at - CONTEXT)
  const cut = text.slice(from, at + 2 * CONTEXT)
  return (from > 0 ? '… ' : '') + cut + (at + 2 * CONTEXT < text.length ? ' …' : '')
}

/** The text with each found word in a `mark`. */
function marked(text, terms) {
  const lower = text.toLowerCase()
  const nodes = []
  for (let at = 0; at < text.length; ) {
    const next = terms
      .map((term) => ({ term, start: lower.indexOf(term, at) }))
      .filter(({ start }) => start >= 0)
      .sort((a, b) => a.start - b.start || b.term.length - a.term.length)[0]
    if (!next) {
      nodes.push(text.slice(at))
      break
    }
    const mark = document.createElement('mark')
    mark.textContent = text.slice(next.start, next.start + next.term.length)
    nodes.push(text.slice(at, next.start), mark)
    at = next.start + next.term.length
  }
  return nodes
}

function move(event) {
  const count = list.children.length
  if (event.key === 'Escape') {
    // The browser would only clear the field.
    event.preventDefault()
    dialog.close()
  } else if (event.key === 'Enter') {
    event.preventDefault()
    list.children[selected]?.click()
  } else if (count > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
    event.preventDefault()
    select((selected + (event.key === 'ArrowDown' ? 1 : count - 1)) % count)
  }
}

function select(at) {
  selected = at
  for (const [i, item] of [...list.children].entries()) {
    item.setAttribute('aria-selected', String(i === at))
    if (i === at) item.scrollIntoView({ block: 'nearest' })
  }
  if (list.children.length > 0) input.setAttribute('aria-activedescendant', `found-${at}`)
  else input.removeAttribute('aria-activedescendant')
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, COPIED_MS)
    })
    block.append(button)
  }
}

/** The sidebar is longer than the window. */
function showPlaceInSidebar() {
  const sidebar = document.querySelector('.sidebar')
  const current = sidebar.querySelector('[aria-current]')
  if (!current) return
  const below = current.getBoundingClientRect().bottom - sidebar.getBoundingClientRect().bottom
  if (below > 0) sidebar.scrollTop += below + sidebar.clientHeight / 2
}
