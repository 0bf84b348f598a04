// The frame of every page: header, sidebar, contents of the page, and the links to the previous and next page. The menu
// and the sidebar work without scripts.

import { escapeHtml } from './markdown.mjs'
import { SIDEBAR } from './sidebar.mjs'

const ICON = {
  menu: '<path d="M3 6h18M3 12h18M3 18h18"/>',
  search: '<circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/>',
  theme: '<circle cx="12" cy="12" r="8"/><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor"/>',
}

export function createLayout({ base, pages, assets }) {
  return (page, { html, headings }) => {
    const title = page.address === '' ? 'Longcode documentation' : `${page.title} · Longcode`
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${base}${assets.icon}">
${page.isHidden ? '' : `<link rel="alternate" type="text/markdown" href="${base}${page.address || 'index'}.md">\n`}<link rel="stylesheet" href="${base}${assets.style}">
<script src="${base}${assets.theme}"></script>
<script defer src="${base}${assets.script}"></script>
</head>
<body data-base="${base}" data-index="${base}${assets.index}">
<a class="skip" href="#content">Skip to content</a>
${header(base)}
<div class="frame">
<nav id="sidebar" class="sidebar" popover aria-label="Documentation">
${SIDEBAR.map((section) => sectionHtml(section, page, pages, base)).join('\n')}
</nav>
<main id="content">
<article>
${html}</article>
${footer(page, pages, base)}
</main>
${contents(headings)}
</div>
${searchDialog()}
</body>
</html>
`
  }
}

function header(base) {
  return `<header>
<button class="icon menu" popovertarget="sidebar" aria-label="Menu">${svg('menu')}</button>
<a class="home" href="${base.replace(/(.)\/$/, '$1')}">Longcode <span>docs</span></a>
<button class="search" hidden><span>${svg('search')} <span>Search</span></span> <kbd>/</kbd></button>
<a class="top" href="${base}api">API</a>
<button class="icon theme" hidden aria-label="Switch theme">${svg('theme')}</button>
</header>`
}

function svg(name) {
  return `<svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">${ICON[name]}</svg>`
}

function sectionHtml(section, current, pages, base) {
  const own = pages.filter((one) => one.section === section.title && !one.parent)
  if (own.length === 0) return ''
  const items = own.map((page) => {
    const isOpen = current.file === page.file || current.parent === page.file
    const children = isOpen ? pages.filter((one) => one.parent === page.file) : []
    const below = children.map((child) => `<li>${pageLink(child, current, base)}</li>`).join('')
    return `<li>${pageLink(page, current, base)}${below && `<ul>${below}</ul>`}</li>`
  })
  return `<h2>${section.title}</h2>\n<ul>${items.join('')}</ul>`
}

function pageLink(page, current, base) {
  const here = page.file === current.file ? ' aria-current="page"' : ''
  return `<a href="${addressIn(base, page)}"${here}>${escapeHtml(page.short ?? page.title)}</a>`
}

/** The first page has the address of the site itself, without a slash at the end. */
function addressIn(base, { address }) {
  return address === '' ? base.replace(/(.)\/$/, '$1') : base + address
}

function contents(headings) {
  const listed = headings.filter(({ level }) => level === 2 || level === 3)
  if (listed.length < 2 || listed.length > 60) return '<div class="contents"></div>'
  const items = listed.map(
    ({ id, title, level }) =>
      `<li class="level${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}

function footer(page, pages, base) {
  if (page.isHidden) return ''
  const at = pages.findIndex(({ file }) => file === page.file)
  const link = (other, label, name) =>
    other
      ? `<a class="${name}" href="${addressIn(base, other)}"><span>${label}</span>${escapeHtml(other.short ?? other.title)}</a>`
      : ''
  return `<footer>
<nav class="steps" aria-label="Previous and next page">${link(pages[at - 1], 'Previous', 'previous')}${link(pages[at + 1], 'Next', 'next')}</nav>
<p><a href="${base}${page.address || 'index'}.md">This page as Markdown</a></p>
</footer>`
}

function searchDialog() {
  return `<dialog class="finder" aria-label="Search">
<div class="ask"><input type="search" role="combobox" aria-label="Search the documentation" aria-expanded="false" aria-controls="found" aria-autocomplete="list" placeholder="Search the documentation" autocomplete="off" spellcheck="false"><button>Close</button></div>
<p class="status" role="status"></p>
<div id="found" role="listbox" aria-label="Results"></div>
</dialog>`
}
