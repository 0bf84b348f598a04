// llms.txt: what the site has, for programs that read documentation. It links the Markdown version of each page.

import { SIDEBAR } from './sidebar.mjs'

export function llmsText(pages, base) {
  const sections = SIDEBAR.map(({ title, about }) => {
    const own = pages.filter((one) => one.section === title && !one.parent)
    const lines = own.map((page) => {
      const summary = page.summary ? `: ${page.summary}` : ''
      return `- [${page.title}](${base}${page.address || 'index'}.md)${summary}`
    })
    return lines.length === 0 ? '' : `## ${title}\n\n${about}.\n\n${lines.join('\n')}\n`
  })
  return `# Longcode

> Self-hosted business messaging for the United States: brands, A2P 10DLC campaigns, phone numbers, SMS and MMS,
> webhooks, billing, and opt-outs over HTTP/JSON.

Every page is available as Markdown: add \`.md\` to its address. openapi.json at \`${base}openapi.json\` describes the API.

${sections.filter(Boolean).join('\n')}`
}

/** The first sentence of a page, without links and code marks. */
export function summaryOf(sections) {
  const text = sections[0]?.text ?? ''
  const end = /[.!?](?=\s|$)/.exec(text)
  return end ? text.slice(0, end.index + 1) : text.slice(0, 160)
}
