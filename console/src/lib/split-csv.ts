// Splits a CSV file into pieces, each with the header, so a large file can be imported step by step. Quoted line
// breaks belong to their row.

export function splitCsv(text: string, rowsMax: number): string[] {
  const [heading = '', ...rows] = rowsOf(text)
  const pieces: string[] = []
  for (let at = 0; at < rows.length; at += rowsMax) {
    pieces.push(`${[heading, ...rows.slice(at, at + rowsMax)].join('\n')}\n`)
  }
  return pieces
}

function rowsOf(text: string): string[] {
  const rows: string[] = []
  let open: string | null = null
  for (const line of text.split(/\r?\n|\r/)) {
    const row: string = open === null ? line : `${open}\n${line}`
    const hasOpenQuote = (line.split('"').length % 2 === 0) !== (open !== null)
    if (hasOpenQuote) open = row
    else {
      open = null
      if (row.trim() !== '') rows.push(row)
    }
  }
  return open === null ? rows : [...rows, open]
}
