// Runs the code blocks of a documentation page against a real service, as a reader would: in order, in one shell, with
// the IDs that earlier responses printed in place of `brd_…`.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { eventually } from './harness.js'

const DAY_MS = 86_400_000

export interface Block {
  language: string
  text: string
}

export function blocksOf(page: string): Block[] {
  const found = readFileSync(page, 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)
  return [...found].map(([, language, text]) => ({ language: language!, text: text! }))
}

/** A statement ends with its line, unless a quoted text or a backslash continues. */
function statementsOf(block: string): string[] {
  const statements: string[] = []
  let open = ''
  for (const line of block.split('\n')) {
    if (open === '' && line.startsWith('#')) continue
    open += open === '' ? line : `\n${line}`
    const isQuoted = open.split("'").length % 2 === 0
    if (isQuoted || open.endsWith('\\')) continue
    if (open !== '') statements.push(open)
    open = ''
  }
  assert.equal(open, '', `an open quote in ${block}`)
  return statements
}

export class Reader {
  /** Assignments and functions of the shell so far. */
  #shell = ''
  #output = ''
  readonly #last = new Map<string, string>()

  constructor(
    readonly url: string,
    readonly token: string,
    readonly cwd: string,
  ) {}

  /**
   * Runs every block of a page. Responses shown as JSON must be what the service sent. `others` are the first lines of
   * blocks that other tests run.
   */
  async read(page: string, others: readonly string[] = []): Promise<void> {
    const blocks = blocksOf(page)
    const firstLines = blocks.map(({ text }) => text.split('\n', 1)[0]!)
    for (const line of others) assert.ok(firstLines.includes(line), `${page} has no block: ${line}`)
    for (const [i, { language, text }] of blocks.entries()) {
      if (others.includes(firstLines[i]!)) continue
      if (language === 'sh') await this.#runBlock(text)
      else if (language === 'json') this.#compare(page, text)
      else assert.fail(`${page}: nothing runs a block in ${language || 'no language'}: ${text}`)
    }
  }

  async #runBlock(text: string): Promise<void> {
    this.#output = ''
    for (const statement of statementsOf(text)) await this.#runStatement(statement)
  }

  async #runStatement(statement: string): Promise<void> {
    const command = this.#filled(statement)
    if (/^(?:[A-Z]+=|\w+\(\))/.test(command)) {
      this.#shell += `${command}\n`
      return
    }
    const until = / # repeat until (.+)$/.exec(statement)?.[1]
    const refusal = / # refused: (\w+)$/.exec(statement)?.[1]
    if (until) {
      await eventually(async () => (await this.#run(command)).includes(until), statement)
      return
    }
    const output = await this.#run(command)
    if (refusal) assert.match(output, new RegExp(`"code":"${refusal}"`), statement)
    else assert.ok(!output.split('\n').some(isRefusal), `${statement}: ${output}`)
  }

  async #run(command: string): Promise<string> {
    const script = `set -eu\n${this.#shell}${command}\n`
    const output = await new Promise<string>((resolve, reject) => {
      execFile('bash', ['-c', script], { cwd: this.cwd }, (error, stdout, stderr) =>
        error ? reject(new Error(`${command}\n${stderr}`)) : resolve(stdout),
      )
    })
    assert.notEqual(output.trim(), '', `${command} printed nothing`)
    this.#output += output
    for (const [id, kind] of output.matchAll(/\b([a-z]{3})_[0-9a-z]{20,}/g)) {
      this.#last.set(kind!, id!)
    }
    // The message that was sent, not one that a response mentions.
    const sent = /"id":"(msg_\w+)"/.exec(output)?.[1]
    if (sent) this.#last.set('msg', sent)
    const number = /\+1415[2-9]\d{6}/.exec(output)?.[0]
    if (number) this.#last.set('number', number)
    const media = /"url":"(http[^"]+\/media\/[^"]+)"/.exec(output)?.[1]
    if (media) this.#last.set('media', media)
    return output
  }

  /** With what earlier responses printed. */
  #filled(statement: string): string {
    const lastOf = (kind: string) => {
      const found = this.#last.get(kind)
      assert.ok(found, `no response had what ${statement} needs`)
      return found
    }
    return statement
      .replaceAll('http://127.0.0.1:8080', this.url)
      .replaceAll('lc_…', this.token)
      .replaceAll(/(?<="scheduledAt": ")[^"]+/g, new Date(Date.now() + DAY_MS).toISOString())
      .replaceAll(/(?<=\/statement\/)\d{4}-\d{2}/g, new Date().toISOString().slice(0, 7))
      .replaceAll('http…', () => lastOf('media'))
      .replaceAll('+1415…', () => lastOf('number'))
      .replaceAll(/\b([a-z]{3})_…/g, (_, kind: string) => lastOf(kind))
  }

  #compare(page: string, text: string): void {
    const replies = this.#output.split('\n').filter((line) => line.startsWith('{'))
    const shown: unknown = JSON.parse(text)
    const isShown = replies.some((line) => contains(JSON.parse(line), shown))
    assert.ok(isShown, `${page} shows ${text}, and the service sent ${this.#output}`)
  }
}

/** The attempts of a webhook have errors, too, which are no refusals. */
function isRefusal(line: string): boolean {
  if (!line.startsWith('{')) return false
  const { error, success } = JSON.parse(line)
  return typeof error === 'string' || success === false
}

/** Whether a response has everything that the page shows. `…` stands for any characters. */
function contains(actual: unknown, shown: unknown): boolean {
  if (typeof shown === 'string' && shown.includes('…')) {
    const parts = shown.split('…').filter((part) => part !== '')
    return typeof actual === 'string' && parts.every((part) => actual.includes(part))
  }
  if (typeof shown !== 'object' || shown === null) return actual === shown
  if (typeof actual !== 'object' || actual === null) return false
  return Object.entries(shown).every(([key, value]) =>
    contains((actual as Record<string, unknown>)[key], value),
  )
}
