// Makes a TypeScript client from an OpenAPI document: `node generate-client.mjs DOCUMENT FOLDER`. The
// generator works with the JavaScript API of TypeScript 6, which TypeScript 7 no longer has: it gets the
// one that is installed beside ours.

import { register } from 'node:module'

const hook = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? 'typescript-6' : specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)

const { createClient } = await import('@hey-api/openapi-ts')
const [input, folder] = process.argv.slice(2)
await createClient({
  input,
  output: { path: folder },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  logs: { level: 'silent', file: false },
})
