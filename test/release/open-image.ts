// The image, opened for a test: its files, read only, and how to run its commands as an unprivileged user.

import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '../commands/run-command.js'
import { NOBODY } from '../faults/project-copies.js'
import { buildImage, type Image } from './image-layout.js'
import type { Installed } from './installed-program.js'

/** Runs as a user who is not root, in a folder where nothing can be written except the data. */
export function openImage(t: TestContext): { image: Image; installed: Installed } {
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
