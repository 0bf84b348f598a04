// A settings file is replaced whole or not at all, readable by its owner.

import assert from 'node:assert/strict'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { replaceFile, writeObstacle } from './replace-file.js'

test('a file is created for its owner only, a symbolic link stays one, and a refused file leaves nothing behind', (t) => {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'longcode-replace-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [file, link] = [path.join(folder, 'real.yaml'), path.join(folder, 'link.yaml')]
  assert.equal(
    replaceFile(file, 'a: 1\n', () => true),
    null,
  )
  assert.equal(statSync(file).mode & 0o777, 0o600)
  symlinkSync(file, link)
  assert.equal(
    replaceFile(link, 'a: 2\n', (passing) => readFileSync(passing, 'utf8') === 'a: 2\n'),
    null,
  )
  assert.equal(readFileSync(file, 'utf8'), 'a: 2\n')
  assert.equal(
    replaceFile(file, 'a: 3\n', () => false),
    'not usable',
  )
  assert.equal(readFileSync(link, 'utf8'), 'a: 2\n')
  assert.deepEqual(readdirSync(folder).sort(), ['link.yaml', 'real.yaml'])
})

test('a missing folder is reported by its error code', (t) => {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'longcode-replace-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.equal(writeObstacle(path.join(folder, 'new.yaml')), null)
  const absent = path.join(folder, 'absent', 'new.yaml')
  assert.equal(writeObstacle(absent), 'ENOENT')
  assert.equal(
    replaceFile(absent, '', () => true),
    'ENOENT',
  )
  writeFileSync(path.join(folder, 'file'), '')
  assert.equal(writeObstacle(path.join(folder, 'file', 'new.yaml')), 'ENOTDIR')
})
