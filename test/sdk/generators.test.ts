// Every API document becomes a TypeScript client, without a warning, with the generator that most customers use. The
// client of openapi.json is also used, in test/flows/generated-client.test.ts.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../commands/run-command.js'

const run = promisify(execFile)
const TSC = 'node_modules/typescript/bin/tsc'
const OPTIONS = ['--ignoreConfig', '--strict', '--noEmit', '--skipLibCheck', 'false', '--types', '']
const LANGUAGE = ['--target', 'es2023', '--module', 'preserve', '--moduleResolution', 'bundler']

for (const name of ['openapi.json', 'openapi.operator.json', 'openapi.sandbox.json']) {
  test(`a client is generated from ${name} without warnings and compiles`, async (t) => {
    const folder = temporaryFolder(t)
    const { stdout, stderr } = await run(process.execPath, [
      ...['scripts/generate-client.mjs', name, folder, 'warnings'],
    ])
    assert.match(stdout, /Done!/)
    assert.doesNotMatch(`${stdout}${stderr}`, /warn|error|⚠/i)
    assert.ok(readdirSync(folder).includes('sdk.gen.ts'))
    const file = path.join(folder, 'sdk.gen.ts')
    const lib = ['--lib', 'es2023,dom,dom.iterable']
    const args = [TSC, ...OPTIONS, ...LANGUAGE, ...lib, file]
    const compiled = await run(process.execPath, args).catch((error) => error)
    assert.equal(compiled.stdout, '')
  })
}
