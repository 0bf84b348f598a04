// The page of an API reference. It lists every endpoint before its script loads. Then the script replaces the
// list.

import { escapeHtml } from './html.js'
import type { Json } from './openapi-components.js'

export interface Reference {
  title: string
  documentPath: string
  /** The other reference, and the errors page. */
  links: readonly { text: string; href: string }[]
  scripts: readonly string[]
  /** A line above the reference. */
  note?: string
}

interface Listed {
  info: { description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, { tags: string[]; summary: string }>>
}

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 }
.first { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem; font: 16px/1.5 system-ui, sans-serif }
.first h1 { font-size: 1.75rem } .first h2 { font-size: 1.1rem; margin: 2rem 0 .25rem }
.first ul { list-style: none; padding: 0 } .first li { padding: .2rem 0 }
.first code { font: .85em ui-monospace, monospace; overflow-wrap: anywhere }
.others { display: flex; gap: 1.25rem; padding: .5rem 1.25rem; font: 14px/1.5 system-ui, sans-serif; border-bottom: 1px solid #8884 }
.others a { color: inherit }
.note { margin: 0; padding: .5rem 1.25rem; font: 14px/1.5 system-ui, sans-serif }
@media (prefers-color-scheme: dark) { html { background: #0f0f0f; color: #e7e7e7 } }
`

export function referencePage(reference: Reference, document: Json): string {
  const { title, links, scripts, documentPath, note } = reference
  const { info, tags, paths } = document as unknown as Listed
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ method, path, ...one })),
  )
  const listed = tags.map(({ name, description }) => {
    const own = calls.filter((call) => call.tags[0] === name)
    const items = own.map(
      ({ method, path, summary }) =>
        `<li><code>${method.toUpperCase()} ${escapeHtml(path)}</code> ${escapeHtml(summary)}</li>`,
    )
    return `<h2>${name}</h2><p>${escapeHtml(description)}</p><ul>${items.join('')}</ul>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg">
<style>${STYLE}</style>
${scripts.map((src) => `<script defer src="${src}"></script>`).join('\n')}
</head>
<body>
<nav class="others">${links.map(({ text, href }) => `<a href="${href}">${text}</a>`).join('')}</nav>
${note ? `<p class="note">${escapeHtml(note)}</p>` : ''}
<div id="reference" data-document="${documentPath}"><main class="first">
<h1>${title}</h1>
<p>${escapeHtml(info.description.split('\n\n', 1)[0]!)}</p>
${listed.join('\n')}
</main></div>
</body>
</html>
`
}

/** Runs in the browser and shows the document named by the page. */
export const START_SCRIPT = `
const element = document.querySelector('#reference')
Scalar.createApiReference(element, {
  url: element.dataset.document,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  defaultOpenFirstTag: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
`
