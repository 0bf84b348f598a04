// Checks a request to a provider against its published document (documents/): the operation must exist, and every field
// in the URL, form, and body must be documented and have its type. A new operation needs only a new line in the
// provider's document.

import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Schema = Record<string, unknown>

/** The documented parts of one operation. An absent part cannot be sent. */
interface Operation {
  query?: Schema
  /** JSON. */
  body?: Schema
  form?: Schema
}

export type DocumentName = 'telnyx' | 'bandwidth' | 'twilio'

export interface SeenRequest {
  method: string
  /** Includes the query. */
  url: string
  contentType: string | undefined
  body: string
}

type Check = (request: SeenRequest, query: URLSearchParams) => string[]

/** Describes each error in a request with its field. Empty if the request is correct. */
export function faultsOf(provider: DocumentName, request: SeenRequest): string[] {
  const { pathname, searchParams } = new URL(request.url, 'http://provider.test')
  const operations = documentOf(provider)
  const found = operations.find(({ pattern }) => pattern.test(`${request.method} ${pathname}`))
  if (!found) return [`${request.method} ${pathname} is not an operation of ${provider}`]
  const faults = found.check(request, searchParams)
  return faults.map((fault) => `${provider}, ${found.name}: ${fault}`)
}

const documents = new Map<DocumentName, { name: string; pattern: RegExp; check: Check }[]>()

function documentOf(provider: DocumentName) {
  const known = documents.get(provider)
  if (known) return known
  const file = new URL(`documents/${provider}.json`, import.meta.url)
  const { operations } = JSON.parse(readFileSync(file, 'utf8')) as {
    operations: Record<string, Operation>
  }
  // Paths without parameters come first: `brand/feedback/{id}` is not a brand named feedback.
  const names = Object.keys(operations).sort((a, b) => countOf(a) - countOf(b))
  const read = names.map((name) => {
    let check: Check | undefined // compiled on first use, because some are large
    return {
      ...{ name, pattern: patternOf(name) },
      check: (...of: Parameters<Check>) => {
        check ??= checkOf(operations[name]!)
        return check(...of)
      },
    }
  })
  documents.set(provider, read)
  return read
}

const countOf = (name: string) => name.split('{').length

function patternOf(name: string): RegExp {
  const literal = name.split(/\{\w+\}/).map((piece) => piece.replace(/[.\\+*?()[\]$^|]/g, '\\$&'))
  return new RegExp(`^${literal.join('[^/]+')}$`)
}

const strict = ajvWith({})
/** Every value in a form or URL starts as text. */
const lenient = ajvWith({ coerceTypes: true })

function ajvWith(options: object): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, ...options })
  addFormats.default(ajv)
  ajv.addFormat('http-method', /^(GET|POST)$/)
  ajv.addFormat('phone-number', /^\+[1-9]\d{1,14}$/)
  ajv.compile({ type: 'object' }) // the first compilation is slow, so it runs before any request
  return ajv
}

function checkOf({ query, body, form }: Operation): Check {
  const checkQuery = fieldsCheck(query)
  const checkForm = form && fieldsCheck(form)
  const checkBody = body && strict.compile(body)
  return (request, searchParams) => {
    const faults = checkQuery(searchParams)
    if (checkBody) return [...faults, ...bodyFaults(checkBody, request)]
    if (checkForm) return [...faults, ...formFaults(checkForm, request)]
    return request.body === '' ? faults : [...faults, 'must not have a body']
  }
}

function bodyFaults(check: ValidateFunction, { contentType, body }: SeenRequest): string[] {
  if (!contentType?.startsWith('application/json')) return [`content type is ${contentType}`]
  try {
    return check(JSON.parse(body)) ? [] : wordsOf(check)
  } catch {
    return ['body is not JSON']
  }
}

function formFaults(
  check: (fields: URLSearchParams) => string[],
  { contentType, body }: SeenRequest,
): string[] {
  if (contentType !== 'application/x-www-form-urlencoded') return [`content type is ${contentType}`]
  return check(new URLSearchParams(body))
}

function fieldsCheck(schema: Schema = { type: 'object', additionalProperties: false }) {
  const properties = flat(schema)
  const check = lenient.compile({ ...schema, properties })
  return (fields: URLSearchParams): string[] => {
    const given: Record<string, unknown> = {}
    for (const key of new Set(fields.keys())) {
      const name = key.replace(/\[\]$/, '')
      const values = fields.getAll(key)
      const isList = (properties[name] as Schema | undefined)?.type === 'array'
      given[name] = isList || values.length > 1 ? values : values[0]
    }
    return check(given) ? [] : wordsOf(check)
  }
}

/** Objects in a URL are written `filter[limit]`. */
function flat({ properties = {} }: { properties?: Record<string, Schema> }, prefix = ''): Schema {
  const found: Schema = {}
  for (const [key, schema] of Object.entries(properties)) {
    const name = prefix === '' ? key : `${prefix}[${key}]`
    if (schema.type === 'object') Object.assign(found, flat(schema, name))
    else found[name] = schema
  }
  return found
}

function wordsOf({ errors }: ValidateFunction): string[] {
  return (errors ?? []).map(({ instancePath, message, params }) => {
    const more = 'additionalProperty' in params ? `: ${params.additionalProperty}` : ''
    return `${instancePath || '/'} ${message}${more}`
  })
}
