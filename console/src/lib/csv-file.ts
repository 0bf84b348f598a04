// Rows as a file that spreadsheets open. Text that somebody else wrote must not become a formula there, so
// what begins like one gets an apostrophe; a number, signed or not, is none.

export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')
}

function cellOf(text: string): string {
  const isFormula = /^\s*[=+\-@|%]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  const plain = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

export function downloadFile(name: string, content: string | Blob): void {
  // The mark at the beginning tells a spreadsheet that it is UTF-8.
  const url = URL.createObjectURL(new Blob(['\ufeff', content], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
