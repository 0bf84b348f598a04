// Writes the generated documents: openapi.json from the routes, docs/errors.md from the error catalog, and the types of the
// clients in sdk/ from both. With --check it only reports whether the files are current.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { errorsMarkdown } from '../src/http/error-catalogue.js'
import { readConfig } from '../src/kit/config.js'
import { REFUSALS } from '../src/kit/contract/refusal.js'
import { openLog } from '../src/kit/log.js'
import { describeApi } from '../src/serve.js'
import { type Document, readApi } from './sdk/shapes.js'
import { typescriptTypes } from './sdk/typescript-types.js'

const document = await describeApi(readConfig({}), openLog('silent'))
const api = readApi([forCustomers(document as Document)], Object.keys(REFUSALS))
const FILES: Record<string, string> = {
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/errors.md': errorsMarkdown(),
  'sdk/typescript/src/types.ts': typescriptTypes(api),
  'sdk/typescript/package.json': withVersion(
    'sdk/typescript/package.json',
    /(?<="version": ")[^"]+/,
  ),
}

/** The clients have the version of the API that they were generated from. */
function withVersion(file: string, place: RegExp): string {
  return readFileSync(file, 'utf8').replace(place, api.version)
}

function forCustomers(whole: Document): Document {
  const isTheirs = ([path]: [string, unknown]) => /^\/(?:v1|sandbox)\//.test(path)
  return { ...whole, paths: Object.fromEntries(Object.entries(whole.paths).filter(isTheirs)) }
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
