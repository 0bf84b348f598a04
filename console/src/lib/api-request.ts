// An API request written out for a shell and for a program.

import { addressOf, type Query } from './address'

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Query
  body?: unknown
}

export function curlOf({ method, path, query, body }: ApiRequest, origin: string): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(addressOf(origin + path, query))}`,
    '  -H "Authorization: Bearer $LONGCODE_TOKEN"',
  ]
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`)
    lines.push(`  -d ${quoted(JSON.stringify(body, null, 2))}`)
  }
  return lines.join(' \\\n')
}

export function typeScriptOf({ method, path, query, body }: ApiRequest, origin: string): string {
  const lines = [
    `const response = await fetch(${JSON.stringify(addressOf(origin + path, query))}, {`,
    `  method: '${method}',`,
    '  headers: {',
    `    Authorization: 'Bearer ' + process.env.LONGCODE_TOKEN,`,
  ]
  if (body !== undefined) lines.push(`    'Content-Type': 'application/json',`)
  lines.push('  },')
  if (body !== undefined) {
    lines.push(`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`)
  }
  lines.push('})', 'const reply = await response.json()')
  return lines.join('\n')
}

/** Quotes for a shell, so nothing inside is expanded. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
