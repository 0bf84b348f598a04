// CSV according to RFC 4180, safe to open in a spreadsheet.

export type CsvCell = string | number | Exact | null

/** A cell that is written unchanged: an amount or a date. Never text from a customer. */
interface Exact {
  exact: string
}

/** One line with its line end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`
}

function writeCell(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  if (typeof cell === 'object') return cell.exact
  // A spreadsheet would run text that starts like this as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
