// Every alert has a page that can be followed: its commands, settings, and links exist.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const FOLDER = 'docs/runbooks'
const HEADINGS = ['## What happened', '## How to see it', '## What to do']

interface Alert {
  alert?: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const ALERTS = ['ops/alert-rules.yaml', 'ops/slo-rules.yaml']
  .flatMap((file) => (parse(readFileSync(file, 'utf8')) as { groups: { rules: Alert[] }[] }).groups)
  .flatMap(({ rules }) => rules)
  .filter(({ alert }) => alert !== undefined)

const PAGES = readdirSync(FOLDER).map((file) => ({
  file: path.join(FOLDER, file),
  text: readFileSync(path.join(FOLDER, file), 'utf8'),
}))

test('every alert names its page, and every page has an alert', () => {
  const named = ALERTS.map(({ alert, annotations }) => {
    assert.equal(annotations.runbook, `${FOLDER}/${alert}.md`)
    assert.ok(annotations.summary && annotations.remedy, alert)
    return annotations.runbook
  })
  const pages = PAGES.map(({ file }) => file).filter((file) => !file.endsWith('README.md'))
  assert.deepEqual(named.sort(), pages.sort())
  const index = readFileSync(`${FOLDER}/README.md`, 'utf8')
  for (const { alert, labels } of ALERTS) {
    assert.ok(index.includes(`| [${alert}](${alert}.md) | ${labels.severity} |`), alert)
  }
})

test('every page explains what happened, how to see it, and what to do', () => {
  for (const { file, text } of PAGES) {
    if (file.endsWith('README.md')) continue
    assert.ok(text.startsWith(`# ${path.basename(file, '.md')}\n`), file)
    assert.deepEqual(text.match(/^## .+$/gm), HEADINGS, file)
  }
})

test('links and settings in the pages exist', () => {
  const settings = readFileSync('.env.example', 'utf8')
  for (const { file, text } of PAGES) {
    for (const [, target] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      assert.ok(existsSync(path.join(FOLDER, target!)), `${file}: ${target}`)
    }
    for (const [name] of text.matchAll(/\bLONGCODE_[A-Z_]+/g)) {
      assert.ok(settings.includes(`# ${name}=`), `${file}: ${name}`)
    }
  }
})

/** `longcode account credit ID 50 --note "x"`: its words, and its options. */
function commandsIn(text: string): string[] {
  const fenced = [...text.matchAll(/^longcode .+$/gm)].map(([line]) => line)
  const inline = [...text.matchAll(/`(longcode\s[^`]+)`/g)].map(([, command]) => command!)
  return [...fenced, ...inline].map((command) => command.split('#')[0]!.replaceAll(/\s+/g, ' '))
}

test('commands in the pages exist, with their options', () => {
  const usages = new Map<string, Set<string>>()
  for (const command of PAGES.flatMap(({ text }) => commandsIn(text))) {
    const parts = command.trim().split(' ')
    const end = parts.findIndex((part) => !/^[a-z][a-z-]*$/.test(part))
    const words = parts.slice(0, end < 0 ? parts.length : end).join(' ')
    const options = usages.get(words) ?? new Set()
    for (const [option] of command.matchAll(/--[a-z-]+/g)) options.add(option)
    usages.set(words, options)
  }
  assert.ok(usages.size > 5)
  for (const [words, options] of usages) {
    const args = ['bin/longcode.mjs', ...words.split(' ').slice(1), '--help']
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.match(stdout, new RegExp(`^Usage: ${words}(?: |$)`, 'm'), words)
    for (const option of options) assert.ok(stdout.includes(option), `${words} ${option}`)
  }
})
