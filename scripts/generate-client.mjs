// Makes a TypeScript client from an OpenAPI document: `node generate-client.mjs DOCUMENT FOLDER`; with
// `types` after these, its types alone, as the console wants them. The generator works with the JavaScript
// API of TypeScript 6, which TypeScript 7 no longer has: it uses the one that is installed next to ours.

import { register } from 'node:module'

const hook = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? 'typescript-6' : specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)

const { createClient } = await import('@hey-api/openapi-ts')
const [input, folder, kind] = process.argv.slice(2)
const calls = ['@hey-api/sdk', '@hey-api/client-fetch']
await createClient({
  input,
  output: { path: folder },
  plugins: ['@hey-api/typescript', ...(kind === 'types' ? [] : calls)],
  logs: { level: 'silent', file: false },
})
