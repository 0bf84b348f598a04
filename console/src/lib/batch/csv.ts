// CSV as defined in RFC 4180 and as people save it: quoted line breaks, CRLF or LF, and commas, semicolons, or
// tabs. Parsed chunk by chunk, so a large file is never in memory twice.

export interface CsvRecord {
  fields: string[]
  /** The line it starts on, as an editor counts. */
  line: number
}

const DELIMITERS = [',', ';', '\t'] as const

/** The delimiter that occurs most in the first line, outside quotes. */
export function findDelimiter(text: string): string {
  const counts = new Map<string, number>(DELIMITERS.map((one) => [one, 0]))
  let isQuoted = false
  for (const char of text) {
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && (char === '\n' || char === '\r')) break
    else if (!isQuoted && counts.has(char)) counts.set(char, counts.get(char)! + 1)
  }
  return DELIMITERS.reduce((best, one) => (counts.get(one)! > counts.get(best)! ? one : best))
}

/** Accepts text in chunks and emits complete records. Blank lines are skipped. */
export class CsvReader {
  private readonly onRecord: (record: CsvRecord) => void
  private delimiter: string | null = null
  private fields: string[] = []
  private field = ''
  private state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  private line = 1
  private startLine = 1
  private wasReturn = false

  constructor(onRecord: (record: CsvRecord) => void) {
    this.onRecord = onRecord
  }

  get delimiterFound(): string {
    return this.delimiter ?? ','
  }

  /** A quote was opened and never closed, so the rest of the file is one field. */
  get openQuoteLine(): number | null {
    return this.state === 'quoted' ? this.startLine : null
  }

  push(text: string): void {
    this.delimiter ??= findDelimiter(text)
    for (let i = 0; i < text.length; i += 1) i = this.take(text, i)
  }

  end(): void {
    if (this.fields.length > 0 || this.field !== '' || this.state !== 'start') this.endRecord()
  }

  /** Consumes input starting at i and returns the last index it consumed. */
  private take(text: string, i: number): number {
    const char = text[i]!
    if (this.state === 'quoted') return this.takeQuoted(text, i)
    if (char === '\n' || char === '\r') {
      const isSecondHalf = char === '\n' && this.wasReturn
      this.wasReturn = char === '\r'
      if (isSecondHalf) return i
      this.endRecord()
      this.line += 1
      this.startLine = this.line
      return i
    }
    this.wasReturn = false
    if (char === this.delimiter) this.endField()
    else if (char === '"' && this.state === 'start') this.state = 'quoted'
    else if (char === '"' && this.state === 'closed') {
      this.field += '"'
      this.state = 'quoted'
    } else return this.takePlain(text, i)
    return i
  }

  private takePlain(text: string, i: number): number {
    let end = i + 1
    while (end < text.length && !this.endsPlain(text[end]!)) end += 1
    this.field += text.slice(i, end)
    this.state = 'plain'
    return end - 1
  }

  private endsPlain(char: string): boolean {
    return char === this.delimiter || char === '\n' || char === '\r'
  }

  private takeQuoted(text: string, i: number): number {
    let end = text.indexOf('"', i)
    if (end === -1) end = text.length
    const part = text.slice(i, end)
    this.field += part
    for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) this.line += 1
    if (end < text.length) this.state = 'closed'
    return end
  }

  private endField(): void {
    this.fields.push(this.field)
    this.field = ''
    this.state = 'start'
  }

  private endRecord(): void {
    const isBlank = this.fields.length === 0 && this.field.trim() === ''
    this.endField()
    if (!isBlank) this.onRecord({ fields: this.fields, line: this.startLine })
    this.fields = []
  }
}
