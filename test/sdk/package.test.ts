// @longcode/client as its users get it: packed, installed in an empty project, compiled with the programs of its README,
// and run against a real service.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { testService } from '../harness.js'

const run = promisify(execFile)
const TSC = path.resolve('node_modules/typescript/bin/tsc')

const OPTIONS = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2022',
    module: 'nodenext',
    outDir: 'out',
    typeRoots: [path.resolve('node_modules/@types')],
    types: ['node'],
  },
  include: ['*.ts'],
}

/** The TypeScript programs of the README, in order. */
function readmePrograms(): string[] {
  const readme = readFileSync('sdk/typescript/README.md', 'utf8')
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program]) => program!)
}

async function installPackage(folder: string): Promise<void> {
  const packed = await run('npm', ['pack', '--pack-destination', folder], { cwd: 'sdk/typescript' })
  assert.match(packed.stdout, /^@longcode\/client: \d\.\d kB gzipped \(at most 12 kB\)$/m)
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const cwd = path.join(folder, 'project')
  mkdirSync(cwd)
  writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ type: 'module' }))
  await run('npm', ['install', '--offline', '--no-audit', `../${file}`], { cwd })
}

test('the package is installed in an empty project, and the programs of its README work', async (t) => {
  const folder = temporaryFolder(t)
  const cwd = path.join(folder, 'project')
  await installPackage(folder)
  const installed = path.join(cwd, 'node_modules/@longcode/client')
  assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'package.json'])
  const { version, dependencies } = JSON.parse(
    readFileSync(path.join(installed, 'package.json'), 'utf8'),
  )
  assert.equal(version, JSON.parse(readFileSync('package.json', 'utf8')).version)
  assert.equal(dependencies, undefined)
  const code = readFileSync(path.join(installed, 'dist/index.js'), 'utf8')
  assert.doesNotMatch(code, /\bimport\b|\brequire\(|node:|process\./, 'it needs nothing of Node')

  const programs = readmePrograms()
  assert.equal(programs.length, 5)
  for (const [i, program] of programs.entries()) {
    writeFileSync(path.join(cwd, `program-${i}.ts`), program)
  }
  writeFileSync(
    path.join(cwd, 'all.ts'),
    "await import('./program-0.js')\nawait import('./program-3.js')\nawait import('./program-4.js')\n",
  )
  writeFileSync(path.join(cwd, 'tsconfig.json'), JSON.stringify(OPTIONS))
  const types = await run(process.execPath, [TSC, '-p', cwd]).catch((error) => error)
  assert.equal(types.stdout, '')

  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const env = {
    LONGCODE_URL: `http://127.0.0.1:${port}`,
    LONGCODE_TOKEN: service.token,
    CAMPAIGN: campaignId,
    NUMBER: number,
  }
  const { stdout } = await run(process.execPath, ['out/all.js'], { cwd, env })
  assert.equal(
    stdout,
    'QUEUED\nOUTBOUND +14155550123 Your table is ready. QUEUED\nbalance.changed\n2\n',
    'the program of the README prints what happened',
  )
})
