// The API as Markdown, made from openapi.json: each endpoint with its fields. The search finds endpoints through it,
// programs read it, and a static copy of the site shows it. The service shows the full reference at the same address.

const OPERATOR = /^\/operator\//
const CONSOLE = 'Console'

export function apiPage(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, path, method })),
  )
  const tags = document.tags.filter(({ name }) => name !== CONSOLE)
  const parts = tags.map(({ name, description }) => {
    const own = operations.filter((one) => one.tags[0] === name)
    if (own.length === 0) return ''
    return `## ${name}\n\n${description}.\n\n${own.map((one) => operationText(document, one)).join('\n\n')}`
  })
  const about = document.info.description
    .replaceAll('](/docs/', '](docs/')
    .replace('(docs/errors)', '(docs/errors.md)')
  return `# API\n\nVersion ${document.info.version}. The machine-readable form is [openapi.json](openapi.json).\n\n${about}\n\n${parts.join('\n\n')}\n`
}

function operationText(
  document,
  { path, method, summary, description, parameters = [], requestBody },
) {
  const fields = [
    ...parameters.map((one) => parameterRow(document, one)).filter(Boolean),
    ...bodyRows(document, requestBody),
  ]
  const table =
    fields.length === 0
      ? ''
      : `\n\n| Field | Type | About |\n|---|---|---|\n${fields.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`
  const token = OPERATOR.test(path) ? ' Requires an operator token.' : ''
  return `### ${summary}\n\n\`${method.toUpperCase()} ${path}\`\n\n${(description ?? '').trim()}${token}${table}`
}

/** Headers that every endpoint has are explained once, at the top. */
function parameterRow(document, parameter) {
  const one = resolve(document, parameter)
  if (one.in === 'header') return null
  return row(
    document,
    one.name,
    { ...one.schema, description: one.description ?? one.schema.description },
    one.required,
    ` (${one.in})`,
  )
}

function bodyRows(document, body) {
  const schema = body?.content?.['application/json']?.schema
  if (!schema) return []
  const { properties = {}, required = [] } = resolve(document, schema)
  return Object.entries(properties).map(([name, one]) =>
    row(document, name, one, required.includes(name)),
  )
}

function row(document, name, schema, isRequired, where = '') {
  const resolved = {
    ...resolve(document, schema),
    ...(schema.description && { description: schema.description }),
  }
  const about = (resolved.description ?? '').replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
  return [
    `\`${name}\`${where}`,
    typeOf(document, resolved),
    `${isRequired ? 'Required. ' : ''}${about}`.trim(),
  ]
}

function typeOf(document, schema) {
  const one = resolve(document, schema)
  if (one.enum)
    return one.enum.length > 12 ? 'string' : one.enum.map((value) => `\`${value}\``).join(', ')
  if (one.anyOf) return [...new Set(one.anyOf.map((each) => typeOf(document, each)))].join(' or ')
  if (one.const !== undefined) return `\`${one.const}\``
  if (one.type === 'array') return `list of ${typeOf(document, one.items ?? {})}`
  return Array.isArray(one.type) ? one.type.join(' or ') : (one.type ?? 'any')
}

function resolve(document, schema) {
  if (!schema.$ref) return schema
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce((found, key) => found[key], document)
}
