// What a release contains in addition to the program: checksums, the list of its packages, an audit that reports its
// result, and the files for systemd.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-release-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('the SBOM lists every package that runs in production, with its version, and no others', (t) => {
  const file = path.join(folderFor(t), 'sbom.cdx.json')
  execFileSync(process.execPath, ['scripts/sbom.mjs', file], { stdio: 'pipe' })
  const sbom = JSON.parse(readFileSync(file, 'utf8'))
  assert.equal(sbom.bomFormat, 'CycloneDX')
  assert.equal(sbom.metadata.component.name, 'longcode')
  const components = sbom.components as { name: string; version: string }[]
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const locked = (name: string) => packages[`node_modules/${name}`]
  assert.ok(
    listed.has(`pg-protocol@${locked('pg-protocol').version}`),
    'dependencies of packages are listed',
  )
  for (const name of Object.keys(dependencies)) {
    assert.ok(listed.has(`${name}@${locked(name).version}`), name)
  }
  for (const name of Object.keys(devDependencies)) {
    const { version, dev } = locked(name)
    if (dev) assert.ok(!listed.has(`${name}@${version}`), name)
  }
})

test('a release has a package, notes, an SBOM, and checksums that match', (t) => {
  const folder = path.join(folderFor(t), 'release')
  const args = ['scripts/release.mjs', '--draft', '--out', folder]
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' })
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.match(out, new RegExp(`longcode ${version} is in .*\\. Nothing was published\\.`))
  const name = `longcode-${version}`
  assert.deepEqual(
    readdirSync(folder),
    ['SHA256SUMS', `${name}.notes.md`, `${name}.sbom.cdx.json`, `${name}.tgz`].sort(),
  )
  const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(checked.match(/: OK$/gm)?.length, 3)
  assert.match(readFileSync(path.join(folder, `${name}.notes.md`), 'utf8'), /### Upgrade notes/)
})

test('the systemd unit is hardened: its exposure level is below 3.0', (t) => {
  const unit = 'ops/systemd/longcode.service'
  const { stdout, error } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], {
    encoding: 'utf8',
  })
  if (error) return t.skip('systemd-analyze is not installed')
  const level = /Overall exposure level for longcode\.service: ([\d.]+)/.exec(stdout)?.[1]
  assert.ok(Number(level) < 3, `${level}\n${stdout}`)
})

test('the longcode command for operators loads the settings of the service', (t) => {
  const folder = folderFor(t)
  const settings = path.join(folder, 'longcode.env')
  const env = {
    PATH: process.env.PATH ?? '',
    LONGCODE_ENV_FILE: settings,
    LONGCODE_PROGRAM: path.resolve('bin/longcode.mjs'),
  }
  const doctor = () =>
    spawnSync('sh', ['ops/systemd/longcode', 'doctor'], { env, encoding: 'utf8' })
  assert.match(
    doctor().stderr,
    /cannot read .*longcode\.env\. Use sudo, or join the group longcode/,
  )
  writeFileSync(settings, 'LONGCODE_MODE=production\nDATABASE_URL=postgres://127.0.0.1:1/nowhere\n')
  assert.match(doctor().stdout, /Mode production.*127\.0\.0\.1:1\/nowhere cannot be reached/s)
})

/** A command named npm that prints the given registry reply. */
function audit(t: TestContext, output: object, exitCode: number, ...flags: string[]) {
  const folder = folderFor(t)
  writeFileSync(
    path.join(folder, 'npm'),
    `#!/bin/sh\necho '${JSON.stringify(output)}'\nexit ${exitCode}\n`,
    { mode: 0o755 },
  )
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  const script = ['scripts/audit.mjs', ...flags]
  const { status, stdout } = spawnSync(process.execPath, script, { env, encoding: 'utf8' })
  return { status, stdout }
}

test('an audit without an endpoint reports that nothing was checked, and fails only if it is required', (t) => {
  const refused = { message: '405 Method Not Allowed' }
  const optional = audit(t, refused, 1)
  assert.equal(optional.status, 0)
  assert.match(optional.stdout, /NOT CHECKED\. The registry has no audit endpoint/)
  assert.equal(audit(t, refused, 1, '--required').status, 1)
})

test('an audit that finds something fails and names the packages', (t) => {
  const counts = { info: 0, low: 0, moderate: 0, high: 1, critical: 0, total: 1 }
  const report = {
    vulnerabilities: { undici: { severity: 'high', range: '<8' } },
    metadata: { vulnerabilities: counts, dependencies: { prod: 100 } },
  }
  const found = audit(t, report, 1)
  assert.equal(found.status, 1)
  assert.match(found.stdout, /found 1 high\.\n {2}undici <8: high/)
  const none = { ...counts, high: 0, total: 0 }
  const metadata = { vulnerabilities: none, dependencies: { prod: 100 } }
  const clean = audit(t, { vulnerabilities: {}, metadata }, 0)
  assert.deepEqual(clean, {
    status: 0,
    stdout: 'npm audit: checked 100 packages, found nothing.\n',
  })
})
