// The container image without Docker: its files, rebuilt and read only, run the image's commands and those of the docs as
// an unprivileged user. Also checks the compose files.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'yaml'
import { temporaryFolder } from '../commands/run-command.js'
import { NOBODY } from '../faults/project-copies.js'
import { freePort } from '../free-port.js'
import { buildImage, type Image } from './image-layout.js'
import { type Installed, run, sendFirstMessage, startSandbox } from './installed-program.js'

const HELP_AT_ONCE = 4

/** `account create`, `carrier add` …: every command in the tables of command-line.md. */
function documentedCommands(): string[][] {
  const rows = readFileSync('docs/command-line.md', 'utf8').matchAll(/^\| (`.+?) \| /gm)
  const texts = [...rows].flatMap(([, cell]) =>
    [...cell!.matchAll(/`([^`]+)`/g)].map(([, text]) => text!),
  )
  const commands = texts.flatMap((text) => {
    const words = text.replaceAll('\\|', '|').split(' ')
    const end = words.findIndex((word) => !/^[a-z][a-z|-]*$/.test(word))
    const [first, second] = end < 0 ? words : words.slice(0, end)
    return (second?.split('|') ?? [null]).map((name) => (name === null ? [first!] : [first!, name]))
  })
  return [...new Map(commands.map((command) => [command.join(' '), command])).values()]
}

/** Runs as a user who is not root, in a folder where nothing can be written except the data. */
function openImage(t: TestContext): { image: Image; installed: Installed } {
  let app = ''
  // First, because the folder could not be removed otherwise. Only folders: files may be hard links.
  const allowFolders = (mode: string) =>
    execFileSync('find', [app, '-type', 'd', '-exec', 'chmod', mode, '{}', '+'])
  t.after(() => allowFolders('u+w'))
  const folder = temporaryFolder(t)
  const image = buildImage(folder)
  app = image.app
  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (NOBODY) chownSync(data, NOBODY.uid, NOBODY.gid)
  const env = {
    ...image.env,
    PATH: `${image.bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    HOST: '127.0.0.1',
    LONGCODE_DATA: data,
    LONGCODE_SIP_PORT: 'off',
  }
  allowFolders('a-w')
  const user = NOBODY ?? {}
  return { image, installed: { command: 'longcode', cwd: image.app, env, ...user } }
}

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

test('the image has every command of the docs, and every file that messages name', async (t) => {
  const { image, installed } = openImage(t)
  const left = documentedCommands()
  assert.ok(left.length > 50, `only ${left.length} commands are documented`)
  const worker = async () => {
    for (let words = left.pop(); words; words = left.pop()) {
      const { code, out, err } = await run(installed, ...words, '--help')
      assert.equal(code, 0, `${words.join(' ')}: ${err}`)
      const [first, second = ''] = words
      assert.ok(out.startsWith(`Usage: longcode ${first}`), out.slice(0, 200))
      // An unknown second word would get the help of the first. For some, it is a value.
      assert.ok(out.includes(second), `${second} is not in ${out.slice(0, 500)}`)
    }
  }
  await Promise.all(Array.from({ length: HELP_AT_ONCE }, worker))
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
