// Generates a TypeScript client from an OpenAPI document with the generator that most customers use: `node
// generate-client.mjs DOCUMENT FOLDER`. With `warnings`, it prints those of the generator. Only tests run it: our own
// clients and the console have types from scripts/sdk. The generator needs the JavaScript API of TypeScript 6, which
// TypeScript 7 no longer has, so it uses the one installed next to ours.

import { register } from 'node:module'

const hook = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? 'typescript-6' : specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)

const { createClient } = await import('@hey-api/openapi-ts')
const [input, folder, level] = process.argv.slice(2)
await createClient({
  input,
  output: { path: folder },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: level === 'warnings' ? 'warn' : 'silent', file: false },
})
