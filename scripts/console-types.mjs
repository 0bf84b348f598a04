// The types of the API for the console, made from openapi.json into console/generated. The generator works
// with the JavaScript API of TypeScript 6, which TypeScript 7 no longer has: it gets the one that is
// installed beside ours.

import { register } from 'node:module'

const hook = `export function resolve(specifier, context, next) {
  return next(specifier === 'typescript' ? 'typescript-6' : specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hook)}`, import.meta.url)

const { createClient } = await import('@hey-api/openapi-ts')
await createClient({
  input: 'openapi.json',
  output: { path: 'console/generated' },
  plugins: ['@hey-api/typescript'],
  logs: { level: 'silent', file: false },
})
