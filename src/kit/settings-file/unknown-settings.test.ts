// Typos in names of settings.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/commands/run-command.js'
import { describeUnknownSettings, SETTING_NAMES } from './unknown-settings.js'

test('the known settings are those of .env.example', () => {
  const file = readFileSync(new URL('../../../.env.example', import.meta.url), 'utf8')
  const documented = [...file.matchAll(/^# LONGCODE_(\w+)=/gm)].map(([, name]) => name)
  assert.deepEqual([...SETTING_NAMES].sort(), [...new Set([...documented, 'ENV_FILE'])].sort())
})

test('a mistyped name is reported with the nearest setting', () => {
  const unknown = (name: string) => describeUnknownSettings([], { [name]: 'x' })
  const nearest = (name: string) => /Did you mean (\w+)\?/.exec(unknown(name)[0]!)?.[1]
  assert.deepEqual(unknown('LONGCODE_DATA_DIR'), [
    'LONGCODE_DATA_DIR is not a setting and is ignored. Did you mean LONGCODE_DATA?',
  ])
  assert.equal(nearest('LONGCODE_TOKNE'), 'LONGCODE_TOKEN')
  assert.equal(nearest('LONGCODE_PORT'), 'PORT')
  assert.equal(nearest('LONGCODE_DATABASE_URL'), 'DATABASE_URL')
  assert.deepEqual(unknown('LONGCODE_QQQ'), [
    'LONGCODE_QQQ is not a setting and is ignored. See .env.example for all settings.',
  ])
})

test('settings, names of other programs, and variables of files are not reported', (t) => {
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file’s own syntax
  writeFileSync(file, 'links:\n  - key: ${LONGCODE_TELNYX_KEY}\n')
  const env = {
    PATH: '/bin',
    LONGCODE_MODE: 'sandbox',
    LONGCODE_TELNYX_KEY: 'secret',
    LONGCODE_HTTPS_PORT: '443',
    LONGCODE_SERVICE_HOST: '10.0.0.7',
    LONGCODE_SERVICE_PORT_HTTP: '80',
    LONGCODE_PORT: 'tcp://10.0.0.7:80',
    LONGCODE_PORT_80_TCP_ADDR: '10.0.0.7',
    LONGCODE_SMPP_SERVICE_HOST: '10.0.0.8',
  }
  assert.deepEqual(describeUnknownSettings([null, file], env), [])
})
