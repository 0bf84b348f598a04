// An email in the queue, and how it looks: plain text, and simple HTML with the name, color, and support address that the
// account sees in the console.

import type { AccountId } from '../accounts/account.js'
import { type Branding, textOn } from '../kit/settings/branding-rules.js'

/** Its content. Stored, so an email does not change between attempts. */
export interface EmailContent {
  subject: string
  paragraphs: string[]
  /** A page of the console. */
  link: { url: string; label: string } | null
  /** Why the recipient gets it. */
  reason: string
}

export interface QueuedEmail {
  accountId: AccountId
  id: string
  recipient: string
  content: EmailContent
  attempts: number
  dueAt: Date
}

export interface RenderedEmail {
  subject: string
  text: string
  html: string
}

const PRODUCT = 'Longcode'

export function renderEmail(
  { subject, paragraphs, link, reason }: EmailContent,
  { name, color, support }: Pick<Branding, 'name' | 'color' | 'support'>,
): RenderedEmail {
  const brand = name ?? PRODUCT
  const help = support === null ? [] : [`Questions? ${support}`]
  const text = [
    ...paragraphs,
    ...(link ? [`${link.label}: ${link.url}`] : []),
    '--',
    [brand, reason, ...help].join('\n'),
  ].join('\n\n')
  return { subject: `${subject} (${brand})`, text: `${text}\n`, html: htmlOf() }

  function htmlOf(): string {
    const back = color ?? '#1f2937'
    const style = 'font-family:sans-serif;font-size:16px;line-height:1.5;color:#1f2937'
    const button = `display:inline-block;padding:8px 16px;border-radius:6px;background:${back};color:${textOn(back)};text-decoration:none`
    const body = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n')
    const action = link
      ? `<p><a href="${escapeHtml(link.url)}" style="${button}">${escapeHtml(link.label)}</a></p>`
      : ''
    const small = [reason, ...help].map(escapeHtml).join('<br>')
    return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>
<body style="${style}">
<p style="border-bottom:4px solid ${back};font-weight:bold">${escapeHtml(brand)}</p>
${body}
${action}
<p style="font-size:13px">${small}</p>
</body></html>
`
  }
}

/** Nov 17, 2:54 PM UTC: the reader's time zone is not known. */
export function emailTime(time: Date): string {
  const options: Intl.DateTimeFormatOptions = {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
  }
  return `${new Intl.DateTimeFormat('en-US', options).format(time)} UTC`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]!)
}
