// A statement as a page to read and print: no scripts, nothing loaded, every text escaped.

import { formatDollars } from '../../kit/money.js'
import { type AccountStatement, REASON_TITLES, type StatementLine } from './statement.js'

const STYLE = `
  :root { color-scheme: light }
  body { font: 14px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 0 auto;
    max-width: 52rem; padding: 2rem 1.5rem }
  h1 { font-size: 1.5rem; margin: 0 }
  h2 { font-size: 1rem; margin: 2rem 0 .5rem }
  .about { color: #555; margin: .25rem 0 1.5rem }
  table { border-collapse: collapse; width: 100% }
  th, td { padding: .35rem .75rem .35rem 0; text-align: left; vertical-align: top;
    border-bottom: 1px solid #ddd }
  th { font-weight: 600 }
  .amount { text-align: right; white-space: nowrap; padding-right: 0;
    font-variant-numeric: tabular-nums }
  .date { white-space: nowrap }
  .wide { overflow-wrap: anywhere }
  tfoot td, tfoot th { border-bottom: 0; border-top: 2px solid #1a1a1a; font-weight: 600 }
  thead { display: table-header-group }
  tr { break-inside: avoid }
  @page { margin: 18mm 15mm }
  @media print { body { max-width: none; padding: 0; font-size: 10pt } h2 { break-after: avoid } }`

/** The page may load only its own style. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

export function statementPage(statement: AccountStatement): string {
  const { account, month } = statement
  const title = `Statement for ${monthTitle(month.start)}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${title}, ${account.name}`)}</title>
<style>${STYLE}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="about">${escapeHtml(account.name)} · ${escapeHtml(account.accountId)}<br>
${dayOf(month.start)} to ${dayOf(new Date(month.end.getTime() - 1))}, UTC, in US dollars${
    statement.isFinal ? '' : '. The month is not over, so more entries may follow.'
  }</p>
${summary(statement)}
${details(statement)}
</main>
</body>
</html>
`
}

function summary({ openingMicros, closingMicros, totals }: AccountStatement): string {
  const rows = totals.map(({ reason, count, amountMicros }) =>
    row([REASON_TITLES[reason], String(count)], amountMicros),
  )
  return `<h2>Summary</h2>
<table>
<thead><tr><th scope="col">What</th><th scope="col">How many</th><th scope="col" class="amount">Amount</th></tr></thead>
<tbody>
${row(['Opening balance', ''], openingMicros)}
${rows.join('\n')}
</tbody>
<tfoot><tr><th scope="row" colspan="2">Closing balance</th><td class="amount">${formatDollars(closingMicros)}</td></tr></tfoot>
</table>`
}

function row(cells: string[], amountMicros: bigint): string {
  const plain = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')
  return `<tr>${plain}<td class="amount">${formatDollars(amountMicros)}</td></tr>`
}

function details({ lines }: AccountStatement): string {
  if (lines.length === 0) return '<p>No transactions in this month.</p>'
  return `<h2>Details</h2>
<table>
<thead><tr><th scope="col">Date</th><th scope="col">What</th><th scope="col">Campaign</th><th scope="col" class="amount">Amount</th></tr></thead>
<tbody>
${lines.map(detail).join('\n')}
</tbody>
</table>`
}

function detail(line: StatementLine): string {
  const date = line.at ? dayOf(line.at) : 'whole month'
  const campaign = line.campaignName ?? line.campaignId ?? ''
  return `<tr><td class="date">${date}</td><td class="wide">${escapeHtml(line.description)}</td><td class="wide">${escapeHtml(campaign)}</td><td class="amount">${formatDollars(line.amountMicros)}</td></tr>`
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10)
}

function monthTitle(start: Date): string {
  return start.toLocaleString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
