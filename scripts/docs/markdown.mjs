// Renders Markdown as the site needs it: headings with the anchors that GitHub gives them, links that lead within the
// site, tables that fit a phone, and colored code. Nothing in the result needs an inline style or script.

import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import MarkdownIt from 'markdown-it'

const LANGUAGES = { bash, go, ini, javascript, json, nginx, python, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)
/** Tables with at least this many columns become cards on a phone. */
const WIDE_TABLE = 3
/** The only HTML in our Markdown: anchors and comments. Anything else is shown as text. */
const ANCHOR = /^<a id="([\w.-]+)">$/

const markdown = new MarkdownIt({ html: true, highlight })
markdown.core.ruler.push('site', (state) => {
  const { tokens, env } = state
  setAnchors(tokens, env)
  setLabels(tokens)
  for (const token of tokens) for (const child of token.children ?? []) setLink(child, env)
})
const { rules } = markdown.renderer
rules.table_open = (tokens, at) => `<div class="table"><table${classOf(tokens[at])}>\n`
rules.table_close = () => '</table></div>\n'
rules.heading_close = (tokens, at) => {
  const id = tokens[at - 2].attrGet('id')
  const { tag } = tokens[at]
  if (tag === 'h1') return '</h1>\n'
  return ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></${tag}>\n`
}
rules.fence = (tokens, at, options) => {
  const { content, info } = tokens[at]
  return `<div class="code"><pre tabindex="0"><code>${options.highlight(content, info)}</code></pre></div>\n`
}
rules.code_block = rules.fence
rules.html_block = () => ''
rules.html_inline = (tokens, at) => {
  const { content } = tokens[at]
  if (content.startsWith('<!--')) return ''
  return ANCHOR.test(content) || content === '</a>' ? content : escapeHtml(content)
}

/** The page as HTML, its headings, and its sections for the search. `resolve` says where a link leads. */
export function render(text, resolve) {
  const env = { resolve, headings: [], ids: new Set() }
  const tokens = markdown.parse(text, env)
  const html = markdown.renderer.render(tokens, markdown.options, env)
  return { html, headings: env.headings, ids: env.ids, sections: sectionsOf(tokens) }
}

/** The same Markdown with links that work from the site. */
export function withLinks(text, resolve) {
  let isCode = false
  const lines = text.split('\n').map((line) => {
    if (/^\s*```/.test(line)) isCode = !isCode
    if (isCode) return line
    return line.replaceAll(/(\]\()([^)\s]+)(?=\))/g, (_, start, href) => start + resolve(href))
  })
  return lines.join('\n')
}

export function escapeHtml(text) {
  return markdown.utils.escapeHtml(text)
}

function highlight(code, info) {
  const language = hljs.getLanguage(info.trim().split(' ')[0])
  if (!language) return escapeHtml(code)
  return hljs.highlight(code, { language: info.trim().split(' ')[0], ignoreIllegals: true }).value
}

function classOf(token) {
  const name = token.attrGet('class')
  return name ? ` class="${name}"` : ''
}

function setAnchors(tokens, env) {
  for (const [at, token] of tokens.entries()) {
    for (const { type, content } of token.children ?? []) {
      const id = type === 'html_inline' && ANCHOR.exec(content)?.[1]
      if (id) env.ids.add(id)
    }
    if (token.type !== 'heading_open') continue
    const title = plainText(tokens[at + 1].children)
    const id = freeSlug(title, env.ids)
    token.attrSet('id', id)
    env.headings.push({ id, title, level: Number(token.tag[1]) })
  }
}

/** GitHub's rule, because links in our files are written for it too. */
function freeSlug(title, ids) {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
  let free = slug
  for (let n = 1; ids.has(free); n += 1) free = `${slug}-${n}`
  ids.add(free)
  return free
}

/** A cell repeats its column's title, for cards. Alignment becomes a class. */
function setLabels(tokens) {
  let table = null
  let labels = []
  let column = 0
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'table_open') [table, labels] = [token, []]
    if (token.type === 'tr_open') column = 0
    if (token.type !== 'th_open' && token.type !== 'td_open') continue
    const inner = tokens[at + 1].children
    setAlignment(token)
    if (token.type === 'th_open') labels.push(plainText(inner))
    else {
      token.attrSet('data-label', labels[column] ?? '')
      if (column === 0 && ANCHOR.test(inner[0]?.content ?? '')) table.attrSet('class', 'cards')
    }
    if (labels.length >= WIDE_TABLE && !table.attrGet('class')) table.attrSet('class', 'wide')
    column += 1
  }
}

function setAlignment(token) {
  const align = /text-align:(\w+)/.exec(token.attrGet('style') ?? '')?.[1]
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
  if (align) token.attrSet('class', align)
}

function setLink(token, { resolve }) {
  if (token.type === 'link_open') token.attrSet('href', resolve(token.attrGet('href')))
  if (token.type === 'image') {
    token.attrSet('src', resolve(token.attrGet('src')))
    token.attrSet('loading', 'lazy')
  }
}

function plainText(children = []) {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')
}

/** What the search finds: the text below each heading, and each row that has an anchor. */
function sectionsOf(tokens) {
  const sections = []
  let current = null
  const start = (id, title) => {
    current = { id, title, text: '' }
    sections.push(current)
  }
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      start(token.attrGet('id'), plainText(tokens[at + 1].children))
    } else if (token.type === 'inline' && tokens[at - 1]?.type !== 'heading_open') {
      const id = ANCHOR.exec(token.children[0]?.content ?? '')?.[1]
      if (id) start(id, plainText(token.children))
      if (current) current.text += `${inlineText(token.children)} `
    } else if (token.type === 'fence' && current) current.text += `${token.content} `
  }
  return sections.map((one) => ({ ...one, text: one.text.replaceAll(/\s+/g, ' ').trim() }))
}

function inlineText(children) {
  return children
    .filter(({ type }) => ['text', 'code_inline', 'softbreak', 'image'].includes(type))
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
}
