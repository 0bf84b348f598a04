// Checks a value against its TypeBox schema, field by field: missing fields get their default, and each
// problem gets a sentence with the allowed values and, for an unknown name, the closest known one. Our own
// keywords: x-expects (the rest of the sentence), x-secret (never shown), x-true (`true` means an empty
// object), x-keys (the form of the names in a free map, and the sentence), x-open (other names are allowed),
// x-check (a check that no keyword can do).

import { Value } from 'typebox/value'
import { nearestName } from '../contract/nearest-name.js'
import { echo } from '../contract/refusal.js'
import { type Expanded, placeOf } from './expand-variables.js'
import type { Path, SettingsProblem } from './settings-document.js'

interface Schema {
  type?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: readonly string[]
  default?: unknown
  'x-expects'?: string
  'x-secret'?: boolean
  'x-true'?: boolean
  'x-open'?: boolean
  'x-check'?: (value: never) => boolean
  'x-keys'?: { pattern: RegExp; expects: string }
}

const SHOWN_MAX = 60
const MAP_ENTRIES_MAX = 10_000

export interface Checked {
  /** As in the schema, if there are no problems. */
  value: unknown
  problems: SettingsProblem[]
}

export function checkFields(
  schema: object,
  raw: unknown,
  path: Path,
  fromOutside: Expanded['fromOutside'],
): Checked {
  const problems: SettingsProblem[] = []
  const report = (at: Path, text: string) => void problems.push({ path: at, text })

  const check = (expected: Schema, raw: unknown, at: Path): unknown => {
    if (raw === undefined || raw === null) return structuredClone(expected.default)
    if (expected.properties) return checkObject(expected, raw, at)
    if (expected.patternProperties) return checkMap(expected, raw, at)
    if (expected.type === 'array') return checkList(expected, raw, at)
    const isOutside = fromOutside.has(placeOf(at))
    const value = isOutside ? converted(expected, raw) : raw
    if (isGood(expected, value)) return value
    const isHidden = isOutside || expected['x-secret'] === true
    report(at, `${expects(expected, raw)}${isHidden ? '' : `, not ${shown(raw)}`}`)
    return value
  }

  const checkObject = (expected: Schema, raw: unknown, at: Path): unknown => {
    if (expected['x-true'] && raw === false) return undefined
    const values = expected['x-true'] && raw === true ? {} : raw
    if (!isRecord(values)) return report(at, 'must be a map of names and values')
    const fields = expected.properties!
    const names = new Map(Object.keys(fields).map((name) => [name, { also: [] }]))
    for (const name of Object.keys(values)) {
      if (!expected['x-open'] && !Object.hasOwn(fields, name))
        report([...at, name], unknownText(name, names))
    }
    for (const name of expected.required ?? []) {
      const isMissing = values[name] === undefined || values[name] === null
      if (isMissing && fields[name]!.default === undefined) report(at, `needs ${name}`)
    }
    return Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [
        name,
        check(inner, values[name], [...at, name]),
      ]),
    )
  }

  const checkMap = (expected: Schema, raw: unknown, at: Path): unknown => {
    if (!isRecord(raw)) return report(at, 'must be a map of names and values')
    const names = Object.keys(raw)
    if (names.length > MAP_ENTRIES_MAX) {
      return report(at, `must have at most ${MAP_ENTRIES_MAX} entries`)
    }
    const [inner] = Object.values(expected.patternProperties!)
    const keys = expected['x-keys']
    return Object.fromEntries(
      names.map((name) => {
        if (keys && !keys.pattern.test(name)) report([...at, name], keys.expects)
        return [name, check(inner!, raw[name], [...at, name])]
      }),
    )
  }

  const checkList = (expected: Schema, raw: unknown, at: Path): unknown => {
    const { minItems = 0, maxItems = MAP_ENTRIES_MAX } = expected
    if (!Array.isArray(raw)) return report(at, `must be a list${describeItems(expected.items!)}`)
    if (raw.length < minItems) report(at, `must have at least ${minItems} entry`)
    if (raw.length > maxItems) return report(at, `must have at most ${maxItems} entries`)
    return raw.map((entry, i) => check(expected.items!, entry ?? '', [...at, i]))
  }

  return { value: check(schema as Schema, raw, path), problems }
}

function isGood(schema: Schema, value: unknown): boolean {
  const check = schema['x-check']
  return Value.Check(schema, value) && (check === undefined || check(value as never))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The environment has only text. */
function converted({ type }: Schema, raw: unknown): unknown {
  if (typeof raw !== 'string') return raw
  if ((type === 'integer' || type === 'number') && raw.trim() !== '') return Number(raw)
  if (type === 'boolean') return raw === 'true' ? true : raw === 'false' ? false : raw
  return raw
}

function expects(schema: Schema, raw: unknown): string {
  // 0123 would have lost its zero by now, so a number is not accepted as text.
  if (schema.type === 'string' && typeof raw !== 'string') return 'must be a text: put it in quotes'
  if (schema['x-expects']) return schema['x-expects']
  if (schema.enum) return `must be one of ${schema.enum.join(', ')}`
  const { minimum, maximum, minLength = 0, maxLength } = schema
  if (schema.type === 'boolean') return 'must be true or false'
  if (schema.type === 'string') return `must be a text of ${minLength} to ${maxLength} characters`
  const noun = schema.type === 'integer' ? 'a whole number' : 'a number'
  return `must be ${noun} from ${minimum} to ${maximum}`
}

function describeItems({ enum: values }: Schema): string {
  return values ? `, such as [${values.slice(0, 2).join(', ')}]` : ''
}

function shown(raw: unknown): string {
  return echo(JSON.stringify(raw), SHOWN_MAX)
}

function unknownText(name: string, names: ReadonlyMap<string, { also: readonly string[] }>) {
  const near = nearestName(name.slice(0, SHOWN_MAX), names)
  const remedy =
    near === null ? `Valid settings: ${[...names.keys()].join(', ')}` : `Did you mean ${near}?`
  return `is not a valid setting. ${remedy}`
}
