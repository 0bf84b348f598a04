// One file of rows: read in chunks, planned with the user's choices, and exported with the result of each
// row. Runs in a worker, so the page never blocks.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { csvOf } from '../csv-file'
import { formatCount } from '../format'
import { CsvReader, type CsvRecord } from './csv'
import { type Block, batchName, type Choices, cutBlocks, isHeader, planRow, ROWS_MAX } from './plan'
import type { SendResult } from './run'

export interface FileFacts {
  hash: string
  header: readonly string[]
  rows: number
}

export interface Problem {
  line: number
  problem: string
}

export interface Sample {
  line: number
  to: string
  body: string
  problem: string | null
}

export interface Plan {
  name: string
  rows: number
  sendable: number
  /** The number of messages in each block. */
  blocks: readonly number[]
  problems: readonly Problem[]
  problemCount: number
  /** Rows to a number that occurs earlier in the file. */
  repeated: number
  samples: readonly Sample[]
}

export interface BlockRows {
  messages: readonly object[]
  lines: readonly number[]
}

/** The file cannot be used as it is. */
export class Unreadable extends Error {}

const SAMPLES = 20
/** More problems are only counted. The result file has all of them. */
const PROBLEMS_SHOWN = 2_000
const TOLD_EVERY = 2_000

export class BatchFile {
  readonly facts: FileFacts
  private readonly records: readonly CsvRecord[]
  private choices: Choices | null = null
  private sendable: number[] = []
  private blocks: readonly Block[] = []
  private problems = new Map<number, string>()
  private results = new Map<number, SendResult>()

  private constructor(facts: FileFacts, records: readonly CsvRecord[]) {
    this.facts = facts
    this.records = records
  }

  static async read(
    stream: ReadableStream<Uint8Array>,
    onRows: (rows: number) => void,
  ): Promise<BatchFile> {
    // The browser's own SHA-256 needs the whole file at once and is missing on pages loaded over plain http.
    const sum = sha256.create()
    const records: CsvRecord[] = []
    const csv = new CsvReader((record) => {
      records.push(record)
      if (records.length > ROWS_MAX + 1) {
        throw new Unreadable(
          `The file has more than ${formatCount(ROWS_MAX)} rows. Split it into smaller files.`,
        )
      }
      if (records.length % TOLD_EVERY === 0) onRows(records.length)
    })
    await readText(
      stream,
      (bytes) => sum.update(bytes),
      (text) => csv.push(text),
    )
    if (csv.openQuoteLine !== null) {
      throw new Unreadable(
        `The row on line ${csv.openQuoteLine} has an opening quote without a closing quote.`,
      )
    }
    csv.end()
    const [first] = records
    if (!first) throw new Unreadable('The file is empty.')
    const header = isHeader(first)
      ? first.fields.map((name) => name.trim())
      : first.fields.map((_, i) => `column ${i + 1}`)
    if (isHeader(first)) records.shift()
    if (records.length === 0) throw new Unreadable('The file has column names but no rows.')
    return new BatchFile({ hash: bytesToHex(sum.digest()), header, rows: records.length }, records)
  }

  plan(choices: Choices): Plan {
    const { header, hash, rows } = this.facts
    const encoder = new TextEncoder()
    const seen = new Set<unknown>()
    const sizes: number[] = []
    this.choices = choices
    this.sendable = []
    this.problems = new Map()
    this.results = new Map()
    let repeated = 0
    for (const [i, record] of this.records.entries()) {
      const { message, problem } = planRow(header, record, choices)
      if (problem !== null) this.problems.set(i, problem)
      if (message === null) continue
      if (seen.has(message.to)) repeated += 1
      seen.add(message.to)
      this.sendable.push(i)
      sizes.push(encoder.encode(JSON.stringify(message)).length)
    }
    this.blocks = cutBlocks(sizes)
    return {
      name: batchName(hash, choices),
      rows,
      sendable: this.sendable.length,
      blocks: this.blocks.map(([from, to]) => to - from),
      problems: this.firstProblems(),
      problemCount: this.problems.size,
      repeated,
      samples: this.samples(choices),
    }
  }

  private firstProblems(): Problem[] {
    const first = [...this.problems].slice(0, PROBLEMS_SHOWN)
    return first.map(([i, problem]) => ({ line: this.records[i]!.line, problem }))
  }

  private samples(choices: Choices): Sample[] {
    return this.records.slice(0, SAMPLES).map((record) => {
      const { message, problem, line } = planRow(this.facts.header, record, choices)
      const recipient = record.fields[choices.mapping.to ?? -1] ?? ''
      const text = record.fields[choices.mapping.body ?? -1] ?? ''
      return {
        line,
        to: String(message?.to ?? recipient),
        body: String(message?.body ?? text),
        problem,
      }
    })
  }

  block(index: number): BlockRows {
    const rows = this.rowsOf(index)
    const planned = rows.map((i) => planRow(this.facts.header, this.records[i]!, this.choices!))
    return {
      messages: planned.map(({ message }) => message!),
      lines: planned.map(({ line }) => line),
    }
  }

  take(index: number, results: readonly SendResult[]): void {
    for (const [place, i] of this.rowsOf(index).entries()) {
      const result = results[place]
      if (result) this.results.set(i, result)
    }
  }

  private rowsOf(index: number): number[] {
    const [from, to] = this.blocks[index]!
    return this.sendable.slice(from, to)
  }

  /** The original rows with the result of each. */
  *resultLines(): Generator<string> {
    const { header } = this.facts
    yield csvOf([[...header, 'id', 'status', 'error']])
    for (const [i, { fields }] of this.records.entries()) {
      const cells = header.map((_, column) => fields[column] ?? '')
      yield csvOf([[...cells, ...this.resultOf(i)]])
    }
  }

  private resultOf(row: number): [id: string, status: string, error: string] {
    const result = this.results.get(row)
    if (result?.success) return [result.id ?? '', 'accepted', '']
    if (result) return ['', 'refused', result.error ?? '']
    return ['', 'not sent', this.problems.get(row) ?? '']
  }
}

/** UTF-8, or UTF-16 as some spreadsheets save it, detected from the first bytes. */
async function readText(
  stream: ReadableStream<Uint8Array>,
  onBytes: (bytes: Uint8Array) => void,
  onText: (text: string) => void,
): Promise<void> {
  const reader = stream.getReader()
  let decoder: TextDecoder | null = null
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      onBytes(value)
      decoder ??= new TextDecoder(encodingOf(value), { fatal: true })
      onText(decoder.decode(value, { stream: true }))
    }
    onText(decoder?.decode() ?? '')
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Unreadable('The file is not UTF-8. Save it as “CSV UTF-8” and choose it again.')
  } finally {
    reader.cancel().catch(() => null)
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
