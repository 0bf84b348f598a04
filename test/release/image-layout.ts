// The files of the container image, rebuilt from the COPY lines of the Dockerfile, because neither CI nor most machines of
// developers have Docker. The first stage is the build that tests have anyway.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'

export interface Image {
  /** The image's /app. */
  app: string
  /** Its /usr/local/bin, for the PATH. */
  bin: string
  env: Record<string, string>
  /** The arguments of CMD and HEALTHCHECK. */
  command: string[]
  healthcheck: string[]
}

/** Builds the image's files below `root`. */
export function buildImage(root: string): Image {
  const [, last] = readFileSync('Dockerfile', 'utf8').split(/^FROM .* AS build$/m)
  const stage = last!.slice(last!.indexOf('\nFROM ')).replaceAll('\\\n', ' ')
  const app = path.join(root, 'app')
  const bin = path.join(root, 'usr/local/bin')
  mkdirSync(app, { recursive: true })
  mkdirSync(bin, { recursive: true })
  for (const [, sources, target] of stage.matchAll(/^COPY --from=build (.+) (\S+)$/gm)) {
    for (const source of sources!.split(' ')) copy(source, path.resolve(app, target!), target!)
  }
  const [, linked, link] = /ln -s (\S+) (\S+)$/m.exec(stage)!
  symlinkSync(path.join(root, linked!), path.join(root, link!))
  const env = Object.fromEntries(
    [...stage.matchAll(/^ENV (.+)$/gm)].flatMap(([, text]) =>
      text!.split(' ').map((pair) => pair.split('=') as [string, string]),
    ),
  )
  return {
    app,
    bin,
    env,
    command: listOf(stage, /^CMD (\[.+\])$/m),
    healthcheck: listOf(stage, / CMD (\[.+\])$/m),
  }
}

function listOf(stage: string, form: RegExp): string[] {
  return JSON.parse(form.exec(stage)![1]!)
}

function copy(source: string, to: string, target: string): void {
  const name = source.replace(/^\/app\//, '')
  if (name === 'node_modules') copyProduction(to)
  else if (name === 'program') copyProgram(to)
  else {
    assert.ok(existsSync(name), `the Dockerfile copies ${name}, which does not exist`)
    cpSync(name, target.endsWith('/') ? path.join(to, name) : to, { recursive: true })
  }
}

/** What the build moves into the folder `program`. */
function copyProgram(to: string): void {
  const [, moved] = /mv (dist\/.+) program /.exec(readFileSync('Dockerfile', 'utf8'))!
  for (const pattern of moved!.split(' ').map((one) => path.basename(one))) {
    const form = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
    for (const name of readdirSync('dist').filter((one) => form.test(one))) {
      cpSync(path.join('dist', name), path.join(to, name), { recursive: true })
    }
  }
}

/** What `npm prune --omit=dev` leaves, as hard links if the disk allows it: 130 MB. */
function copyProduction(to: string): void {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  for (const [place, { dev, devOptional }] of Object.entries(packages)) {
    if (place === '' || dev || devOptional || !existsSync(place)) continue
    const copied = path.join(path.dirname(to), place)
    if (existsSync(copied)) continue
    mkdirSync(path.dirname(copied), { recursive: true })
    if (spawnSync('cp', ['-RPl', place, copied]).status !== 0) {
      execFileSync('cp', ['-RP', place, copied])
    }
  }
}
