// The page /docs/errors explains each failure. The `help` field of every failure links to it. Plain HTML
// that works without scripts, in light and dark mode.

import { type ErrorGroup, type Explained, errorGroups } from '../error-catalogue.js'
import { escapeHtml } from './html.js'

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --card: #f6f8fa; --mark: #006972; --paper: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa4af; --line: #30363d; --card: #161b22; --mark: #8ea6ff; --paper: #0d1117 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 4rem }
a { color: var(--mark) }
h1 { font-size: 1.75rem; margin: 0 0 .5rem }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem }
section { border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; margin: 1rem 0; scroll-margin-top: 1rem }
section:target { border-color: var(--mark); background: var(--card) }
h3 { font-size: 1rem; margin: 0; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline }
h3 a { color: inherit; text-decoration: none; overflow-wrap: anywhere }
h3 span { color: var(--soft); font-weight: 400 }
code { font: .9em ui-monospace, monospace; background: var(--card); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere }
h3 code { background: none; padding: 0; font-size: 1em }
p { margin: .5rem 0 0 }
dl { margin: .5rem 0 0; display: grid; grid-template-columns: 5rem 1fr; gap: .25rem .75rem }
dt { color: var(--soft) } dd { margin: 0 }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .25rem } }
`

export function errorsPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errors · Longcode</title>
<link rel="icon" href="/favicon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<p><a href="/docs/api">API reference</a></p>
<h1>Errors</h1>
${errorGroups().map(groupHtml).join('\n')}
</main>
</body>
</html>
`
}

function groupHtml({ title, about, errors }: ErrorGroup): string {
  return `<h2>${title}</h2>\n<p>${prose(about)}</p>\n${errors.map(errorHtml).join('\n')}`
}

function errorHtml({ code, status, text, cause, remedy, charged }: Explained): string {
  return `<section id="${code}">
<h3><a href="#${code}"><code>${code}</code></a><span>${status}</span><span>Charged: ${charged}</span></h3>
<p>${prose(text)}</p>
<dl><dt>Cause</dt><dd>${prose(cause)}</dd><dt>Remedy</dt><dd>${prose(remedy)}</dd></dl>
</section>`
}

/** Our text, with code between backticks, as HTML. */
function prose(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
