// The package that `npm pack` makes, installed from an empty folder as on a bare machine: it contains everything that it
// needs, builds nothing at start, and runs a first message. `npm run test:node` repeats it on the newest Node.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../commands/run-command.js'
import { freePort } from '../free-port.js'
import { type Installed, run, sendFirstMessage, startSandbox } from './installed-program.js'

/** What `--help` reads before it prints. More than this, and it takes noticeably longer. */
const HELP_BYTES_MAX = 600_000

function npm(cwd: string, ...args: string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' })
}

/** Packs this tree and installs the package with `npm install --global`, far from its sources. */
function installPackage(folder: string): { root: string; command: string } {
  npm('.', 'pack', '--silent', '--pack-destination', folder)
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const prefix = path.join(folder, 'global')
  const empty = path.join(folder, 'empty')
  mkdirSync(empty)
  npm(empty, 'install', '--global', '--prefix', prefix, '--prefer-offline', `../${file}`)
  const root = path.join(prefix, 'lib/node_modules/longcode')
  return { root, command: path.join(prefix, 'bin/longcode') }
}

/** The size of a module with everything that it imports before it runs. */
function staticBytes(file: string, counted = new Set<string>()): number {
  if (counted.has(file)) return 0
  counted.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|\} from) ?"(\.\/part-\w+\.js)"/gm)
  let bytes = statSync(file).size
  for (const [, name] of imports)
    bytes += staticBytes(path.join(path.dirname(file), name!), counted)
  return bytes
}

test('the package runs from an empty folder: help, a first message, the console, doctor', async (t) => {
  const folder = temporaryFolder(t)
  const { root, command } = installPackage(folder)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    PORT: String(await freePort()),
    LONGCODE_SIP_PORT: 'off',
  }
  const installed: Installed = { command, cwd: path.join(folder, 'empty'), env }

  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const shown = (await run(installed, '--version')).out
  assert.match(shown, new RegExp(`^${version} \\(commit [0-9a-f]{12}(?:, modified)?\\)\n$`))
  const help = await run(installed, '--help')
  assert.ok(help.out.includes(`Documentation: ${path.join(root, 'docs')}\n`), help.out)
  const bytes = staticBytes(path.join(root, 'dist/main.js'))
  assert.ok(bytes < HELP_BYTES_MAX, `--help reads ${bytes} bytes`)

  const running = await startSandbox(t, installed)
  const page = await fetch(`${running.url}/console/`)
  assert.match(await page.text(), /<div id="app">/)
  assert.equal((await fetch(`${running.url}/docs`)).status, 200)
  await sendFirstMessage(running)
  const doctor = await run(installed, 'doctor')
  assert.equal(doctor.code, 0, doctor.out)
  assert.match(doctor.out, /pictures +Image resizing works/)
  assert.equal(await running.stop(), 0)
  assert.deepEqual(readdirSync(installed.cwd), ['data'])

  for (const name of [
    'docs/carriers.md',
    'examples/README.md',
    'carriers.example.yaml',
    'trunks.example.yaml',
    '.env.example',
  ]) {
    assert.ok(existsSync(path.join(root, name)), name)
  }
  for (const name of ['src', 'test', 'scripts', 'node_modules/vite']) {
    assert.ok(!existsSync(path.join(root, name)), name)
  }
})
