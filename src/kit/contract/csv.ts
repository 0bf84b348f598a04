// CSV as RFC 4180 has it, safe to open in a spreadsheet.

export type Cell = string | number | Exact | null

/** A cell whose text is written as it is: an amount, a date. Never text that a customer chose. */
interface Exact {
  exact: string
}

/** One line with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

function writeCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return cell.exact
  // A spreadsheet would run a text that begins like this as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
