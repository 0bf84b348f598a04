// Writes openapi.json from the routes; with --check it only says whether the file is current.

import { readFileSync, writeFileSync } from 'node:fs'
import { readConfig } from '../src/kit/config.js'
import { openLog } from '../src/kit/log.js'
import { describeApi } from '../src/serve.js'

const FILE = 'openapi.json'
const text = `${JSON.stringify(await describeApi(readConfig({}), openLog('silent')), null, 2)}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(FILE, 'utf8') !== text) {
    console.error('openapi.json is stale: run `npm run openapi` and commit it.')
    process.exit(1)
  }
} else {
  writeFileSync(FILE, text)
  console.log(`${FILE} written`)
}
