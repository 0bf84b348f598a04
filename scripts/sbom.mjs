// Writes the bill of materials of a release as a CycloneDX file: what runs in production, with version, license,
// and hash, from the lock file alone. The release build writes it to dist/sbom.cdx.json, next to the program.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

process.chdir(path.resolve(import.meta.dirname, '..'))
const FILE = process.argv[2] ?? 'dist/sbom.cdx.json'
const OUTPUT_MAX = 64 * 1024 * 1024
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
// Not with --omit=dev: npm then also leaves out what development needs besides production, such as yaml.
const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
const made = spawnSync(npm, args, {
  encoding: 'utf8',
  maxBuffer: OUTPUT_MAX,
})
if (made.status !== 0) {
  console.error(`npm could not write the SBOM:\n${made.stderr}`)
  process.exit(1)
}
const sbom = JSON.parse(made.stdout)
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
Object.assign(sbom.metadata.component, { name, version })
keepProduction(sbom)
mkdirSync(path.dirname(FILE), { recursive: true })
writeFileSync(FILE, `${JSON.stringify(sbom, null, 2)}\n`)
console.log(`${FILE}: ${name} ${version} and ${sbom.components.length} packages`)

function keepProduction(document) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const used = new Set(
    Object.entries(packages)
      .filter(([place, { dev, devOptional }]) => place !== '' && !dev && !devOptional)
      .map(([place, entry]) => `${place.split('node_modules/').at(-1)}@${entry.version}`),
  )
  document.components = document.components.filter(({ name: own, version: which }) =>
    used.has(`${own}@${which}`),
  )
  const root = document.metadata.component['bom-ref']
  const refs = new Set([root, ...document.components.map((component) => component['bom-ref'])])
  document.dependencies = document.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => refs.has(one)),
    }))
}
