// The container image without Docker: its files, rebuilt and read only, run a first message and the health check as an
// unprivileged user. Also checks the compose files. image-commands.test.ts runs the other commands of the docs.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { freePort } from '../free-port.js'
import { run, sendFirstMessage, startSandbox } from './installed-program.js'
import { openImage } from './open-image.js'

test('the image runs a first message, its health check, and doctor on a read-only file system', async (t) => {
  const { image, installed } = openImage(t)
  installed.env.PORT = String(await freePort())
  const [program, ...serve] = image.command
  const running = await startSandbox(t, { ...installed, command: program! }, serve)
  const [checker, ...check] = image.healthcheck
  assert.equal((await run({ ...installed, command: checker! }, ...check)).code, 0)
  await sendFirstMessage(running)
  // As in docs/production.md: docker compose exec longcode longcode doctor
  const doctor = await run(installed, 'doctor')
  assert.equal(doctor.code, 0, doctor.out + doctor.err)
  assert.equal(await running.stop(), 0)
  const unhealthy = await run({ ...installed, command: checker! }, ...check)
  assert.equal(unhealthy.code, 1)
})

test('the image has every file that messages name', (t) => {
  const { image } = openImage(t)
  const code = readdirSync(path.join(image.app, 'dist'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(path.join(image.app, 'dist', name), 'utf8'))
    .join('\n')
  const named = new Set(code.match(/\b(?:docs\/[\w-]+\.md|\w+\.example\.yaml)\b/g))
  assert.ok(named.size >= 4, [...named].join(', '))
  for (const file of named) assert.ok(existsSync(path.join(image.app, file)), file)
})

interface Compose {
  services: Record<
    string,
    { read_only?: boolean; environment?: Record<string, string>; volumes?: string[] }
  >
}

test('the compose files use settings and files that exist, and a read-only root file system', () => {
  const documented = readFileSync('.env.example', 'utf8')
  for (const file of ['compose.yaml', 'compose.sandbox.yaml']) {
    const { services } = parse(readFileSync(file, 'utf8')) as Compose
    const ours = services.longcode ?? services.sandbox!
    assert.equal(ours.read_only, true, file)
    for (const name of Object.keys(ours.environment!)) {
      assert.ok(documented.includes(`# ${name}=`), `${file}: ${name}`)
    }
    for (const volume of Object.values(services).flatMap(({ volumes }) => volumes ?? [])) {
      const [from] = volume.split(':')
      if (from!.startsWith('./ops/')) assert.ok(existsSync(from!), `${file}: ${from}`)
    }
  }
  const settings = readFileSync('ops/docker/production.env', 'utf8')
  for (const [, name] of readFileSync('compose.yaml', 'utf8').matchAll(/\$\{(\w+):\?/g)) {
    assert.match(settings, new RegExp(`^${name}=`, 'm'))
  }
})
