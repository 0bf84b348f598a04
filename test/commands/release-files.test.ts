// What a release contains in addition to the program: the list of its packages, and an audit that reports its result.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
