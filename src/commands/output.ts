// Command output: tables and sentences for people, JSON for programs, and a progress bar for long tasks. Results go to
// standard output and everything else to standard error, so results can be piped.

export interface Output {
  isJson: boolean
  /** One line of the result, for people. */
  say: (line: string) => void
  /** The result as JSON, printed with --json. */
  json: (value: unknown) => void
  /** Information that is not part of the result. */
  note: (line: string) => void
  table: (rows: readonly Record<string, unknown>[], columns: readonly string[]) => void
  progress: (what: string, total: number | null) => Progress
}

interface Progress {
  to: (done: number) => void
  end: () => void
}

export function createOutput(isJson: boolean): Output {
  return {
    isJson,
    say: (line) => {
      if (!isJson) console.log(line)
    },
    json: (value) => {
      if (isJson) console.log(JSON.stringify(value, null, 2))
    },
    note: (line) => console.error(line),
    table: (rows, columns) => {
      if (!isJson) console.log(formatTable(rows, columns))
    },
    progress: (what, total) => (process.stderr.isTTY ? drawProgress(what, total) : SILENT),
  }
}

/** A progress bar whose total is known only once the work has begun. It ends when the work is complete. */
export function followProgress(out: Output, what: string) {
  let progress: Progress | null = null
  return (done: number, total: number): void => {
    progress ??= out.progress(what, total)
    progress.to(done)
    if (done === total) progress.end()
  }
}

const SILENT: Progress = { to: () => {}, end: () => {} }

export function formatTable(
  rows: readonly Record<string, unknown>[],
  columns: readonly string[],
): string {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column])))
  const lines = [columns.map(heading), ...cells]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)))
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function heading(column: string): string {
  return column.replaceAll(/([A-Z])/g, ' $1').toUpperCase()
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const BAR_WIDTH = 24
const REDRAW_MS = 100

function drawProgress(what: string, total: number | null): Progress {
  let drawnMs = Number.NEGATIVE_INFINITY
  let last = 0
  const draw = (done: number): void => {
    process.stderr.write(`\r\x1b[K${progressLine(what, done, total)}`)
  }
  return {
    to: (done) => {
      last = done
      const nowMs = performance.now()
      if (nowMs - drawnMs < REDRAW_MS) return
      drawnMs = nowMs
      draw(done)
    },
    end: () => {
      draw(total === null ? last : Math.max(last, total))
      process.stderr.write('\n')
    },
  }
}

export function progressLine(what: string, done: number, total: number | null): string {
  const count = done.toLocaleString('en-US')
  if (total === null) return `${what} ${count}`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(share * BAR_WIDTH)
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled)
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  return `${what} ${bar} ${percent}  ${count} / ${total.toLocaleString('en-US')}`
}
