// Writes the generated documents: the OpenAPI documents from the routes, docs/errors.md from the error catalog, and the
// types of the clients in sdk/ from both. With --check it only reports whether the files are current.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { errorsMarkdown } from '../src/http/error-catalogue.js'
import { readConfig } from '../src/kit/config.js'
import { REFUSALS } from '../src/kit/contract/refusal.js'
import { openLog } from '../src/kit/log.js'
import { describeApi } from '../src/serve.js'
import { pythonTypes } from './sdk/python-types.js'
import { type Document, readApi } from './sdk/shapes.js'
import { typescriptTypes } from './sdk/typescript-types.js'

const documents = await describeApi(readConfig({}), openLog('silent'))
const forClients = [documents.customer, documents.sandbox] as Document[]
const api = readApi(forClients, Object.keys(REFUSALS))
const FILES: Record<string, string> = {
  'openapi.json': textOf(documents.customer),
  'openapi.operator.json': textOf(documents.operator),
  'openapi.sandbox.json': textOf(documents.sandbox),
  'docs/errors.md': errorsMarkdown(),
  'sdk/typescript/src/types.ts': typescriptTypes(api),
  'sdk/typescript/package.json': withVersion(
    'sdk/typescript/package.json',
    /(?<="version": ")[^"]+/,
  ),
  'sdk/python/longcode/types.py': pythonTypes(api),
  'sdk/python/pyproject.toml': withVersion('sdk/python/pyproject.toml', /(?<=^version = ")[^"]+/m),
}

/** The clients have the version of the API that they were generated from. */
function withVersion(file: string, place: RegExp): string {
  return readFileSync(file, 'utf8').replace(place, api.version)
}

function textOf(document: object): string {
  return `${JSON.stringify(document, null, 2)}
`
}

for (const [file, text] of Object.entries(FILES)) {
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
    console.log(`${file} written`)
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is stale: run \`npm run openapi\` and commit it.`)
    process.exitCode = 1
  }
}
