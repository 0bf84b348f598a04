// The table at the end of a run: two columns, the second to the right.

export function tableOf(rows: readonly (readonly [string, string | number])[]): string[] {
  const cells = rows.map(([name, value]) => [
    name,
    typeof value === 'number' ? value.toLocaleString('en-US') : value,
  ])
  const widths = [0, 1].map((i) => Math.max(...cells.map((row) => row[i]!.length)))
  return cells.map(([name, value]) => `${name!.padEnd(widths[0]!)}  ${value!.padStart(widths[1]!)}`)
}
