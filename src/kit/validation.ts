// The check at the border. Ajv finds what is wrong with a request by its schema; this file turns its
// findings into one plain sentence for people and a list of fields for programs.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type FieldProblem, Refusal } from './refusal.js'

const DETAILS_MAX = 20

export type Check = (data: unknown) => Refusal | null

const OPTIONS = { allErrors: true, verbose: true, strict: false, useDefaults: false } as const

/** JSON bodies are taken as they are; query strings and paths are text, read by their declared type. */
const forBodies = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: false }))
const forTexts = withFormats(new Ajv2020({ ...OPTIONS, coerceTypes: true }))

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv)
  return ajv
}

interface ObjectSchema {
  properties?: Record<string, Annotated>
  required?: string[]
}

interface Annotated {
  type?: string | string[]
  enum?: unknown[]
  'x-missing'?: string
  'x-expects'?: string
  'x-text'?: string
}

/** Null where the data is as the schema says. */
export function compileBodyCheck(schema: object): Check {
  return compileWith(forBodies, schema)
}

/** For query strings and paths: changes the data in place to the declared types. */
export function compileTextCheck(schema: object): Check {
  return compileWith(forTexts, schema)
}

// Schemas are constants of the program: a second service in one process needs no second compilation.
const compiled = new Map<Ajv2020, WeakMap<object, Check>>()

function compileWith(ajv: Ajv2020, schema: object): Check {
  const known = compiled.get(ajv) ?? new WeakMap<object, Check>()
  compiled.set(ajv, known)
  let check = known.get(schema)
  if (!check) {
    // When first asked: a hundred schemas at once are a third of what a start takes.
    let validate: ValidateFunction | null = null
    check = (data) => {
      validate ??= ajv.compile(schema)
      return validate(data) ? null : refusalFrom(validate, schema as ObjectSchema, data)
    }
    known.set(schema, check)
  }
  return check
}

function refusalFrom(check: ValidateFunction, schema: ObjectSchema, data: unknown): Refusal {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return new Refusal('body_invalid')
  }
  const findings = outermost(check.errors ?? []).map(findingFrom)
  const order = Object.keys(schema.properties ?? {})
  const rank = (finding: Finding): number => {
    const at = order.indexOf(finding.field.split(/[.[]/, 1)[0]!)
    return at === -1 ? order.length : at
  }
  findings.sort((a, b) => rank(a) - rank(b))
  const details = unique(findings).slice(0, DETAILS_MAX)
  return new Refusal(
    'field_invalid',
    findings[0]?.sentence,
    details.map(({ field, problem }) => ({ field, problem })),
  )
}

interface Finding extends FieldProblem {
  sentence: string
}

// A field with several faults is named once, with the first.
function unique(findings: Finding[]): Finding[] {
  return [...new Map([...findings].reverse().map((f) => [f.field, f])).values()].reverse()
}

// The branches of a union that did not match say nothing useful: the union itself speaks for them.
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

function findingFrom(error: ErrorObject): Finding {
  const parent = error.parentSchema as ObjectSchema & Annotated
  if (error.keyword === 'required') {
    const name = (error.params as { missingProperty: string }).missingProperty
    return missing(joinField(error.instancePath, name), parent.properties?.[name])
  }
  const field = joinField(error.instancePath)
  if (isBlank(error.data) && isNeeded(error)) return missing(field, parent)
  const problem = parent['x-expects'] ?? problemOf(error)
  return { field, problem, sentence: parent['x-text'] ?? `${field} ${problem}` }
}

function missing(field: string, schema: Annotated | undefined): Finding {
  const sentence = schema?.['x-missing'] ?? schema?.['x-text'] ?? `${field} is required`
  return { field, problem: 'is required', sentence }
}

// Null and blank text count as missing where something is needed.
function isBlank(data: unknown): boolean {
  return data === null || (typeof data === 'string' && data.trim() === '')
}

// Only required text is declared with a minimum length; null in its place fails on the type.
function isNeeded(error: ErrorObject): boolean {
  const parent = error.parentSchema as { minLength?: number; 'x-missing'?: string }
  return (parent.minLength ?? 0) > 0 || parent['x-missing'] !== undefined
}

// /numbers/0 reads numbers[0]; /metadata/a~1b reads metadata.a/b
function joinField(instancePath: string, last?: string): string {
  const steps = instancePath.split('/').slice(1)
  if (last !== undefined) steps.push(last)
  let name = ''
  for (const step of steps) {
    const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(plain) && name) name += `[${plain}]`
    else name += name ? `.${plain}` : plain
  }
  return name.slice(0, 100) || 'body'
}

type Params = Record<string, unknown>

const PROBLEMS: Record<string, (params: Params, parent: Annotated) => string> = {
  type: (_params, parent) => `must be ${typeWords(parent.type)}`,
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

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function typeWords(type: string | string[] | undefined): string {
  return [type ?? 'of another type']
    .flat()
    .map((name) => TYPE_WORDS[name] ?? name)
    .join(' or ')
}
