// Makes a release in the folder `release`, and publishes nothing: `npm run release`. It checks the version, the changelog,
// and the code, builds from scratch, packs, and writes the SBOM and checksums. `--draft` accepts uncommitted changes and
// skips the check.

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

process.chdir(path.resolve(import.meta.dirname, '..'))
const isDraft = process.argv.includes('--draft')
const folder = argument('--out') ?? 'release'
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))

try {
  checkVersion()
  if (!isDraft) {
    checkTree()
    run('npm', 'run', 'check')
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  // A draft uses the build that is there if it is current. A release never does.
  run(process.execPath, 'scripts/prepare.mjs', 'build', ...(isDraft ? [] : ['--force']))
  run('npm', 'pack', '--silent', '--pack-destination', folder)
  copyFileSync('dist/sbom.cdx.json', path.join(folder, `${name}-${version}.sbom.cdx.json`))
  writeFileSync(path.join(folder, `${name}-${version}.notes.md`), `${readNotes()}\n`)
  writeChecksums()
  console.log(`\n${name} ${version} is in ${folder}. Nothing was published.`)
  if (readNotes('Unreleased').includes('\n- '))
    console.log('CHANGELOG.md has entries under [Unreleased], which are not in the notes.')
  for (const file of readdirSync(folder)) console.log(`  ${file}`)
} catch (error) {
  console.error(`No release: ${error.message}`)
  process.exitCode = 1
}

function argument(flag) {
  const at = process.argv.indexOf(flag)
  return at < 0 ? null : process.argv[at + 1]
}

function checkVersion() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is not a semantic version.`)
  const { version: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  if (locked !== version)
    throw new Error(`package-lock.json has version ${locked}. Run npm install.`)
  const { info } = JSON.parse(readFileSync('openapi.json', 'utf8'))
  if (info.version !== version) throw new Error('openapi.json is stale. Run npm run openapi.')
  const chart = readFileSync('ops/helm/longcode/Chart.yaml', 'utf8')
  if (!chart.includes(`appVersion: ${version}\n`))
    throw new Error(`ops/helm/longcode/Chart.yaml has another appVersion than ${version}.`)
  if (readNotes() === '') throw new Error(`CHANGELOG.md has no section for ${version}.`)
}

function checkTree() {
  const changed = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' }).trim()
  if (changed !== '') throw new Error(`there are uncommitted changes:\n${changed}`)
}

/** The changelog's section for a version. */
function readNotes(of = version) {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m)
  return sections.find((text) => text.startsWith(`## [${of}]`))?.trim() ?? ''
}

/** In the format of sha256sum: `sha256sum --check SHA256SUMS` verifies a download. */
function writeChecksums() {
  const lines = readdirSync(folder).map((file) => {
    const sum = createHash('sha256')
      .update(readFileSync(path.join(folder, file)))
      .digest('hex')
    return `${sum}  ${file}\n`
  })
  writeFileSync(path.join(folder, 'SHA256SUMS'), lines.join(''))
}

function run(program, ...args) {
  console.log(`> ${[path.basename(program), ...args].join(' ')}`)
  const { status } = spawnSync(program, args, { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${path.basename(program)} ${args.join(' ')} failed.`)
}
