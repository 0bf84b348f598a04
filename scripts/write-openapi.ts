// Writes the generated documents: openapi.json from the routes, docs/errors.md from the error catalog. With --check
// it only reports whether the files are current.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { errorsMarkdown } from '../src/http/error-catalogue.js'
import { readConfig } from '../src/kit/config.js'
import { openLog } from '../src/kit/log.js'
import { describeApi } from '../src/serve.js'

const document = await describeApi(readConfig({}), openLog('silent'))
const FILES: Record<string, string> = {
  'openapi.json': `${JSON.stringify(document, null, 2)}\n`,
  'docs/errors.md': errorsMarkdown(),
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
