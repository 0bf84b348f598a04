// Turns the rows of a file into messages: which column is what, each row's message, why a row cannot be sent,
// and the requests that carry the rest. Pure and deterministic for the same file and choices, because the
// idempotency keys depend on it.

import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { formatCount } from '../format'
import { readRecipient } from '../recipient'
import { BODY_MAX, countCharacters, isBlank } from '../text-meter'
import type { CsvRecord } from './csv'

export const FILE_BYTES_MAX = 50 * 1024 * 1024
export const ROWS_MAX = 100_000
const BLOCK_ROWS_MAX = 1_000
/** Below the 1 MiB request limit, with room for the JSON around the messages. */
const BLOCK_BYTES_MAX = 1_000_000

/** Column indexes. Null: none. */
export interface Mapping {
  to: number | null
  body: number | null
  from: number | null
}

export interface Choices {
  campaign: string
  /** The sender for rows without one. Empty: the service chooses. */
  from: string
  mapping: Mapping
  /** One text for all rows, with {column} placeholders. Null: each row has its own text. */
  template: string | null
}

export interface PlannedRow {
  line: number
  message: Record<string, unknown> | null
  /** Why it cannot be sent. */
  problem: string | null
}

const NAMES: Record<keyof Mapping, readonly string[]> = {
  to: [
    'to',
    'phone',
    'phone number',
    'phonenumber',
    'mobile',
    'number',
    'recipient',
    'cell',
    'tel',
  ],
  body: ['body', 'text', 'message', 'content', 'msg', 'sms'],
  from: ['from', 'sender'],
}

export function guessMapping(header: readonly string[]): Mapping {
  const names = header.map(plainName)
  const find = (kind: keyof Mapping) => {
    const index = NAMES[kind].map((name) => names.indexOf(name)).find((i) => i >= 0)
    return index ?? null
  }
  return { to: find('to'), body: find('body'), from: find('from') }
}

function plainName(name: string): string {
  return name.trim().toLowerCase().replaceAll('_', ' ')
}

/** A file whose first row has a number has no header. */
export function isHeader({ fields }: CsvRecord): boolean {
  return !fields.some((field) => readRecipient(field, false).phone !== null)
}

export function metadataNames(header: readonly string[]): { index: number; name: string }[] {
  return header.flatMap((title, index) => {
    const found = /^metadata\.(.+)$/i.exec(title.trim())
    return found ? [{ index, name: found[1]! }] : []
  })
}

/** Columns that are not used, unless the text names them. */
export function unusedColumns(header: readonly string[], { mapping, template }: Choices): string[] {
  const usedColumns = new Set(placeholders(template ?? '').map((name) => columnOf(header, name)))
  const used = new Set<number | null>([
    mapping.to,
    mapping.from,
    template === null ? mapping.body : null,
    ...metadataNames(header).map(({ index }) => index),
    ...usedColumns,
  ])
  return header.filter((_, index) => !used.has(index))
}

function placeholders(template: string): string[] {
  return Array.from(template.matchAll(/\{([^{}\n]+)\}/g), ([, name]) => name!)
}

function columnOf(header: readonly string[], name: string): number {
  return header.findIndex((title) => plainName(title) === plainName(name))
}

/** Why nothing can be sent with these choices. */
export function choicesProblem(header: readonly string[], choices: Choices): string | null {
  const { mapping, template } = choices
  if (mapping.to === null) return 'Choose the column with phone numbers.'
  if (template === null) {
    return mapping.body === null
      ? 'Choose the column with the texts, or write one text for all rows.'
      : null
  }
  if (isBlank(template)) return 'Enter a message text.'
  const unknown = placeholders(template).find((name) => columnOf(header, name) === -1)
  return unknown === undefined ? null : `This file has no column {${unknown}}.`
}

export function planRow(
  header: readonly string[],
  record: CsvRecord,
  choices: Choices,
): PlannedRow {
  const { fields, line } = record
  const broken = (problem: string) => ({ line, message: null, problem })
  const extra = fields.slice(header.length).filter((field) => field.trim() !== '').length
  if (extra > 0) return broken('Extra comma: put the text in quotes')
  const cell = (index: number | null) => (index === null ? '' : (fields[index] ?? '').trim())
  const { phone } = readRecipient(cell(choices.mapping.to), false)
  if (!phone) {
    const recipient = cell(choices.mapping.to)
    return broken(recipient === '' ? 'No number' : `“${cut(recipient)}” is not a US number`)
  }
  const text = textOf(header, fields, choices)
  if (text.problem !== null) return broken(text.problem)
  const sender = cell(choices.mapping.from)
  const from = sender === '' ? choices.from : readRecipient(sender, false).phone
  if (from === null) return broken(`“${cut(sender)}” is not one of your numbers`)
  const pairs = metadataNames(header).flatMap(({ index, name }) =>
    cell(index) === '' ? [] : [[name, cell(index)]],
  )
  const message = {
    campaign: choices.campaign,
    ...(from && { from }),
    to: phone,
    body: text.body,
    ...(pairs.length > 0 && { metadata: Object.fromEntries(pairs) }),
  }
  return { line, message, problem: null }
}

function textOf(header: readonly string[], fields: readonly string[], choices: Choices) {
  const { template, mapping } = choices
  let empty: string | null = null
  const body =
    template === null
      ? (fields[mapping.body ?? -1] ?? '')
      : template.replace(/\{([^{}\n]+)\}/g, (_, name: string) => {
          const value = (fields[columnOf(header, name)] ?? '').trim()
          if (value === '') empty ??= name
          return value
        })
  if (empty !== null) return { body, problem: `{${empty}} is empty` }
  if (isBlank(body)) return { body, problem: 'No text' }
  const length = countCharacters(body)
  const problem =
    length > BODY_MAX ? `${formatCount(length)} characters (limit ${formatCount(BODY_MAX)})` : null
  return { body, problem }
}

function cut(text: string): string {
  return text.length > 30 ? `${text.slice(0, 30)}…` : text
}

/** A range of rows that are sent in one request: [from, to). */
export type Block = readonly [from: number, to: number]

/** At most 1,000 messages and 1 MiB each. */
export function cutBlocks(sizes: readonly number[]): Block[] {
  const blocks: Block[] = []
  let from = 0
  let bytes = 0
  for (const [i, size] of sizes.entries()) {
    if (i > from && (i - from >= BLOCK_ROWS_MAX || bytes + size > BLOCK_BYTES_MAX)) {
      blocks.push([from, i])
      from = i
      bytes = 0
    }
    bytes += size + 1
  }
  if (from < sizes.length) blocks.push([from, sizes.length])
  return blocks
}

/** The same file with the same choices is the same batch, wherever and whenever it is dropped. */
export function batchName(
  fileHash: string,
  { campaign, from, mapping, template }: Choices,
): string {
  const choices = JSON.stringify([fileHash, campaign, from, mapping, template])
  return bytesToHex(sha256(utf8ToBytes(choices)))
}
