// Validates requests. Ajv finds problems by the schema. This file turns them into one plain sentence for
// people and a list of fields for programs.
//
// No request may block the others: a check stops at the first problem, and a length is checked before its
// content. Only then does it search for other problems, field by field: all fields in the schema, and a few
// entries of a list or map, whose size the client chooses.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { findTime } from './find-time.js'
import { echo, type FieldProblem, Refusal } from './refusal.js'

const DETAILS_MAX = 20
const DETAILS_OF_LIST_MAX = 5
const FIELD_LENGTH_MAX = 100

export type Check = (data: unknown) => Refusal | null

// A test checks our schemas against the rules of JSON Schema. Doing so here would cost the first request 80
// ms.
const OPTIONS = {
  ...{ allErrors: false, verbose: true, strict: false, useDefaults: false },
  validateSchema: false,
} as const

/** JSON bodies are used as they are. Query strings and paths are text, converted to their declared type. */
const forBodies = withOwnMessages(new Ajv2020({ ...OPTIONS, coerceTypes: false }))
const forTexts = withOwnMessages(new Ajv2020({ ...OPTIONS, coerceTypes: true }))

// Ajv's uniqueItems compares all pairs, and its date-time accepts leap seconds, which a Date cannot
// represent.
function withOwnMessages(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv, ['date'])
  ajv.addFormat('date-time', (text: string) => findTime(text) !== null)
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isAsked: boolean, list: unknown[]) => !isAsked || areUnique(list),
  })
  return ajv
}

function areUnique(list: readonly unknown[]): boolean {
  return new Set(list.map((item) => JSON.stringify(item))).size === list.length
}

interface Schema extends Annotated {
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  required?: string[]
}

interface Annotated {
  type?: string | string[]
  enum?: unknown[]
  'x-missing'?: string
  'x-expects'?: string
  'x-explains'?: (value: unknown) => string
  'x-text'?: string
}

/** Null if the data matches the schema. */
export function compileBodyCheck(schema: object): Check {
  return compileWith(forBodies, schema)
}

/** For query strings and paths: converts the data in place to the declared types. */
export function compileTextCheck(schema: object): Check {
  return compileWith(forTexts, schema)
}

// Schemas are constants, so a second service in the same process needs no second compilation.
const compiled = new Map<Ajv2020, WeakMap<object, Check>>()

function compileWith(ajv: Ajv2020, schema: object): Check {
  const checks = compiled.get(ajv) ?? new WeakMap<object, Check>()
  compiled.set(ajv, checks)
  let check = checks.get(schema)
  if (!check) {
    // Compiled at first use: a hundred schemas at once would take a third of the start time.
    let validate: ValidateFunction | null = null
    check = (data) => {
      validate ??= ajv.compile(schema)
      return validate(data) ? null : refusalFrom(ajv, schema, data)
    }
    checks.set(schema, check)
  }
  return check
}

function refusalFrom(ajv: Ajv2020, schema: Schema, data: unknown): Refusal {
  if (!isRecord(data)) return new Refusal('body_invalid')
  const findings = findProblems(ajv, schema, data, []).slice(0, DETAILS_MAX)
  return new Refusal(
    'field_invalid',
    findings[0]?.sentence,
    findings.map(({ field, problem }) => ({ field, problem })),
  )
}

/** In the order of the schema, each field once. */
function findProblems(ajv: Ajv2020, schema: Schema, data: unknown, path: string[]): Finding[] {
  const validate = ajv.compile(schema) // Ajv caches compiled schemas
  if (validate(data)) return []
  const [first] = outermost(validate.errors ?? [])
  const { parts, max } = partsOf(schema, data, first)
  const findings: Finding[] = []
  for (const [name, inner, value] of parts) {
    if (findings.length >= max) break
    const innerPath = [...path, name]
    if (value !== undefined) findings.push(...findProblems(ajv, inner, value, innerPath))
    else if (schema.required?.includes(name)) findings.push(missing(fieldName(innerPath), inner))
  }
  // Nothing is wrong inside, so the value itself is: its type, its length, or its form.
  return findings.length > 0 || !first ? findings : [findingFrom(first, path)]
}

interface Parts {
  parts: Iterable<[name: string, schema: Schema, value: unknown]>
  max: number
}

function partsOf(schema: Schema, data: unknown, fault: ErrorObject | undefined): Parts {
  if (schema.properties && isRecord(data)) {
    const fields = Object.entries(schema.properties)
    return { parts: fields.map(([name, inner]) => [name, inner, data[name]]), max: DETAILS_MAX }
  }
  const inner = Array.isArray(data) ? schema.items : schema.additionalProperties
  const isInside = fault !== undefined && fault.instancePath !== ''
  if (!isInside || typeof inner !== 'object' || typeof data !== 'object' || !data) {
    return { parts: [], max: 0 }
  }
  return { parts: entriesOf(data, inner), max: DETAILS_OF_LIST_MAX }
}

function* entriesOf(data: object, inner: Schema): Generator<[string, Schema, unknown]> {
  for (const name of Object.keys(data)) yield [name, inner, (data as Record<string, unknown>)[name]]
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}

interface Finding extends FieldProblem {
  sentence: string
}

// The failed branches of a union add nothing useful, so only the union's own error is used.
function outermost(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter((e) => e.keyword === 'anyOf' && expectsOf(e) !== undefined)
  return errors.filter(
    (error) =>
      !unions.some((u) => u !== error && error.schemaPath.startsWith(`${u.schemaPath}/`)) &&
      error.keyword !== 'if',
  )
}

function expectsOf(error: ErrorObject): string | undefined {
  return (error.parentSchema as Annotated | undefined)?.['x-expects']
}

function findingFrom(error: ErrorObject, path: readonly string[]): Finding {
  const parent = error.parentSchema as Schema
  const inside = [...path, ...error.instancePath.split('/').slice(1).map(plainStep)]
  if (error.keyword === 'required') {
    const name = (error.params as { missingProperty: string }).missingProperty
    return missing(fieldName([...inside, name]), parent.properties?.[name])
  }
  const field = fieldName(inside)
  if (isBlank(error.data) && isNeeded(error)) return missing(field, parent)
  const problem = parent['x-expects'] ?? parent['x-explains']?.(error.data) ?? problemOf(error)
  return { field, problem, sentence: parent['x-text'] ?? `${field} ${problem}` }
}

function missing(field: string, schema: Annotated | undefined): Finding {
  const sentence = schema?.['x-missing'] ?? schema?.['x-text'] ?? `${field} is required`
  return { field, problem: 'is required', sentence }
}

// Null and blank text count as missing if the field is required.
function isBlank(data: unknown): boolean {
  return data === null || (typeof data === 'string' && data.trim() === '')
}

// Only required text has a minimum length; null in its place fails on the type.
function isNeeded(error: ErrorObject): boolean {
  const parent = error.parentSchema as { minLength?: number; 'x-missing'?: string }
  return (parent.minLength ?? 0) > 0 || parent['x-missing'] !== undefined
}

// Ajv writes metadata.a/b as /metadata/a~1b
function plainStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function fieldName(path: readonly string[]): string {
  let name = ''
  for (const step of path) {
    if (/^\d+$/.test(step) && name) name += `[${step}]`
    else name += name ? `.${step}` : step
  }
  return echo(name, FIELD_LENGTH_MAX) || 'body'
}

type Params = Record<string, unknown>

const PROBLEMS: Record<string, (params: Params, parent: Annotated) => string> = {
  type: (_params, parent) => `must be ${describeType(parent.type)}`,
  enum: (_params, parent) => `must be one of ${(parent.enum ?? []).join(', ')}`,
  const: () => 'has a value that is not allowed',
  maxLength: (params) => `must be at most ${params.limit} characters`,
  minLength: () => 'must not be empty',
  maxItems: (params) => `must have at most ${params.limit} entries`,
  minItems: (params) =>
    `must have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`,
  uniqueItems: () => 'must not name the same value twice',
  maxProperties: (params) => `must have at most ${params.limit} entries`,
  minProperties: () => 'must have at least one entry',
  minimum: (params) => `must be at least ${params.limit}`,
  maximum: (params) => `must be at most ${params.limit}`,
  pattern: () => 'has the wrong form',
  format: (params) => `must be a valid ${params.format}`,
}

function problemOf(error: ErrorObject): string {
  return PROBLEMS[error.keyword]?.(error.params, error.parentSchema as Annotated) ?? 'is not valid'
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function describeType(type: string | string[] | undefined): string {
  return [type ?? 'of another type']
    .flat()
    .map((name) => TYPE_NAMES[name] ?? name)
    .join(' or ')
}
