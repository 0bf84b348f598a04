// Generates a TypeScript client from OpenAPI documents: `node generate-client.mjs DOCUMENT[,DOCUMENT…] FOLDER`. With
// `types` as the third argument, it writes only the types, and a table of them by route for the console's `request`. With
// `warnings`, it prints those of the generator. The generator
// needs the JavaScript API of TypeScript 6, which TypeScript 7 no longer has, so it uses the one installed next to ours.

import { readFileSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import path from 'node:path'

const hook = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? 'typescript-6' : specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)

const { createClient } = await import('@hey-api/openapi-ts')
const [files, folder, kind] = process.argv.slice(2)
const input = merge(files.split(',').map((file) => JSON.parse(readFileSync(file, 'utf8'))))
const requests = ['@hey-api/sdk', '@hey-api/client-fetch']
await createClient({
  input,
  output: { path: folder },
  plugins: ['@hey-api/typescript', ...(kind === 'types' ? [] : requests)],
  logs: { level: kind === 'warnings' ? 'warn' : 'silent', file: false },
})
if (kind === 'types') writeFileSync(path.join(folder, 'routes.gen.ts'), writeRoutes())

/** What each route takes and returns. The generator names types after the operation, without the method. */
function writeRoutes() {
  const lines = Object.entries(input.paths).flatMap(([route, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => {
      const name = `Api.${operationId[0].toUpperCase()}${operationId.slice(1)}`
      return `  '${method.toUpperCase()} ${route}': { data: ${name}Data; reply: ${name}Response }`
    }),
  )
  return [
    "import type * as Api from './types.gen'",
    'export interface Routes {',
    ...lines,
    '}',
    '',
  ].join('\n')
}

/** One document with the paths and components of all. A name means the same in each. */
function merge(documents) {
  const [first] = documents
  const all = (values) => Object.assign({}, ...values)
  const components = Object.keys(first.components).map((part) => [
    part,
    all(documents.map((one) => one.components[part])),
  ])
  const paths = all(documents.map((one) => one.paths))
  return { ...first, paths, components: Object.fromEntries(components) }
}
