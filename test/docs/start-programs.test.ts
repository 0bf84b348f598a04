// Runs the programs of the start pages for TypeScript and Python, as printed, and compares what they print.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { seedInventory } from '../../src/sandbox/seed-inventory.js'
import { temporaryFolder } from '../commands/run-command.js'
import { blocksOf } from '../documented-blocks.js'
import { testService } from '../harness.js'

const run = promisify(execFile)

interface Programs {
  /** Starts a program, which is a file in the folder. */
  command: [string, ...string[]]
  file: string
  env: Record<string, string>
  cwd: string
}

/** Runs both programs of a page. The first one prints the variables of the second. */
async function runPage(t: TestContext, page: string, { command, file, env, cwd }: Programs) {
  const service = await testService(t, { roles: ['api', 'dispatch', 'deliver', 'schedule'] })
  await seedInventory(service.world.db)
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const blocks = blocksOf(page).filter(({ language }) => language !== 'sh')
  const [setup, send, printed, ...others] = blocks.map(({ text }) => text)
  assert.deepEqual(others, [])
  const variables: Record<string, string> = {
    ...{ PATH: process.env.PATH ?? '', ...env },
    LONGCODE_URL: `http://127.0.0.1:${port}`,
    LONGCODE_TOKEN: service.token,
  }
  const runProgram = async (text: string) => {
    writeFileSync(path.join(cwd, file), text)
    const [program, ...args] = command
    return (await run(program, [...args, file], { cwd, env: variables })).stdout
  }
  const exported = await runProgram(setup!)
  for (const [, name, value] of exported.matchAll(/(\w+)=(\S+)/g)) variables[name!] = value!
  assert.equal(await runProgram(send!), printed)
}

test('the start page for TypeScript runs as printed', async (t) => {
  const cwd = temporaryFolder(t)
  mkdirSync(path.join(cwd, 'node_modules/@longcode'), { recursive: true })
  // Its source, because another test installs the package.
  const client = path.join(cwd, 'node_modules/@longcode/client')
  mkdirSync(client)
  writeFileSync(
    path.join(client, 'package.json'),
    JSON.stringify({ name: '@longcode/client', type: 'module', exports: './src/index.ts' }),
  )
  symlinkSync(path.resolve('sdk/typescript/src'), path.join(client, 'src'))
  writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ type: 'module' }))
  const loader = path.resolve('node_modules/tsx/dist/loader.mjs')
  await runPage(t, 'docs/start-typescript.md', {
    command: [process.execPath, '--import', `file://${loader}`],
    file: 'program.ts',
    env: {},
    cwd,
  })
})

test('the start page for Python runs as printed', async (t) => {
  const isNew = 'import sys; sys.exit(sys.version_info < (3, 11))'
  if (spawnSync('python3', ['-c', isNew]).status !== 0)
    return t.skip('Python 3.11 is not installed')
  await runPage(t, 'docs/start-python.md', {
    command: ['python3', '-B'],
    file: 'program.py',
    env: { PYTHONPATH: path.resolve('sdk/python') },
    cwd: temporaryFolder(t),
  })
})
