// `longcode completion …`: the scripts, loaded in real shells.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommand, temporaryFolder } from './run-command.js'

/** Stores the script and returns a function that completes a line in the shell: the words that it offers. */
async function shellOf(t: TestContext, shell: string, ask: (file: string) => string) {
  if (spawnSync(shell, ['-c', 'true']).status !== 0) {
    t.skip(`${shell} is not installed`)
    return null
  }
  const { out, code, err } = await runCommand(['completion', shell])
  assert.equal(code, 0, err)
  const folder = temporaryFolder(t)
  const file = path.join(folder, 'completion')
  writeFileSync(file, out)
  return (...words: string[]): string[] => {
    const args = ['-c', ask(file), ...(shell === 'bash' ? ['bash'] : []), ...words]
    const { stdout, stderr } = spawnSync(shell, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(stderr, '')
    return stdout.split('\n').filter((line) => line !== '')
  }
}

type Complete = (...words: string[]) => string[]

function checkCompletions(complete: Complete): void {
  assert.deepEqual(complete('mig'), ['migrate'])
  assert.deepEqual(complete('account', 'su'), ['suspend'])
  assert.deepEqual(complete('account', 'create', '--message'), ['--message-days'])
  assert.deepEqual(complete('--json', 'account', 'credit', '--ref'), ['--reference'])
  assert.deepEqual(complete('completion', 'zs'), ['zsh'])
  assert.deepEqual(complete('send', '--to', ''), [])
  assert.deepEqual(complete('export', '--out', 'comp'), ['completion'])
  assert.deepEqual(complete('number', 'import', 'comp'), ['completion'])
}

test('bash completes commands, options, choices, and files', async (t) => {
  const complete = await shellOf(
    t,
    'bash',
    (file) => `source ${file}; COMP_WORDS=(longcode "$@"); COMP_CWORD=$#; _longcode
      printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
  if (complete) checkCompletions(complete)
})

test('zsh completes commands, options, choices, and files', async (t) => {
  // Replaces the functions of its completion system, which need a terminal, by ones that print.
  const complete = await shellOf(
    t,
    'zsh',
    (file) => `compdef() { }; _message() { }; _files() { print -l -- "$words[CURRENT]"*(N) }
      _describe() { for one in "\${(@P)2}"; do [[ $one == "$words[CURRENT]"* ]] && print -r -- "\${one%%:*}"; done }
      source ${file}; words=(longcode "$0" "$@"); CURRENT=$#words; _longcode; true`,
  )
  if (complete) checkCompletions(complete)
})

test('fish completes commands, options, choices, and files', async (t) => {
  const complete = await shellOf(
    t,
    'fish',
    (file) => `source ${file}; complete -C "$argv" | string replace -r '\\t.*' ''`,
  )
  if (!complete) return
  checkCompletions((...words) => complete(`longcode ${words.join(' ')}`))
})

test('completion scripts contain every command and option that help shows', async () => {
  const [help, inner] = await Promise.all([
    runCommand(['--help']),
    runCommand(['voice', 'calls', '--help']),
  ])
  const commands = [...help.out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)
  const options = [...inner.out.matchAll(/^ {2}(?:-h, )?(--[a-z-]+)/gm)].map(([, name]) => name!)
  assert.ok(commands.length > 20 && options.length > 6)
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out } = await runCommand(['completion', shell])
    for (const name of commands) assert.match(out, new RegExp(`\\b${name}\\b`), `${shell}: ${name}`)
    for (const name of options) {
      const flag = shell === 'fish' ? `-l ${name.slice(2)} ` : name
      assert.ok(out.includes(flag), `${shell}: ${name}`)
    }
  }
})

test('an unknown shell is a usage error that lists the known ones', async () => {
  const { code, err } = await runCommand(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(err, /Allowed choices are bash, zsh, fish\./)
})
