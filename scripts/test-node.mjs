// Starts the service and runs the contract's tests on another Node version: `npm run test:node -- 22`, or by
// default the one we recommend. The binary comes from the npm package for this platform, into a folder that git
// ignores.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const RECOMMENDED = '24'
const CONTRACT = [
  'test/api',
  'test/flows/readme.test.ts',
  'test/commands/serve-command.test.ts',
  'test/release/package.test.ts',
  'test/sdk/package.test.ts',
]

process.chdir(path.resolve(import.meta.dirname, '..'))
const args = process.argv.slice(2)
const version = args.find((arg) => /^\d+(?:\.\d+)*$/.test(arg)) ?? RECOMMENDED
const files = args.filter((arg) => arg !== version)
const node = install()
const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
console.log(`Tests on Node ${stdout.trim()}:`)
const env = { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` }
const wanted = files.length > 0 ? files : CONTRACT
const run = spawnSync(node, ['scripts/test.mjs', ...wanted], { stdio: 'inherit', env })
console.log(`Tests on Node ${stdout.trim()}: ${run.status === 0 ? 'passed' : 'FAILED'}.`)
process.exit(run.status ?? 1)

/** The platform's package holds nothing but the binary, so no install script has to run. */
function install() {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = path.resolve('node_modules', '.cache', `node-${version}`)
  const binary = path.join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
  const npm = ['install', '--no-audit', '--no-fund', '--no-save', `${name}@${version}`]
  const installed = spawnSync('npm', npm, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  if (installed.status === 0 && existsSync(binary)) return binary
  console.error(`Node ${version} cannot be installed: npm ${npm.join(' ')} failed.`)
  process.exit(1)
}
