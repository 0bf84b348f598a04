// Fails on words that we do not use (rules.mjs) in everything people read: documents, texts, comments, names, tests.
// Quotations, and texts that the contract fixes, are listed in exceptions.txt, one line each: a path, a tab, and a
// part of the line. Paths as arguments limit the check to these files or folders.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { NAMES, WORDS } from './rules.mjs'

process.chdir(path.resolve(import.meta.dirname, '../..'))
const READ = /\.(?:md|ts|tsx|mts|mjs|sql|ya?ml|cfg|css|html|sh|example)$|^(?:Dockerfile|\.ci\/run)$/
/** The contract, other people's words, generated files, migrations that have run, and the rules themselves. */
const LEFT_OUT =
  /^(?:docs\/interface\.md|migrations\/|schema\.sql|test\/providers\/documents\/|test\/texts\/|src\/text\/refusal-(?:patterns|words)\.ts|console\/generated\/|scripts\/words\/)/

const paths = process.argv.slice(2)
const exceptions = readExceptions()
const findings = trackedFiles().flatMap(findingsIn)
report()

function trackedFiles() {
  const all = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0')
  const files = all.filter((file) => READ.test(file) && !LEFT_OUT.test(file) && isIncluded(file))
  const missing = paths.filter((one) => !existsSync(one))
  if (missing.length > 0) throw new Error(`No such file or folder: ${missing.join(', ')}`)
  return files
}

function isIncluded(file) {
  return paths.length === 0 || paths.some((one) => file === one || file.startsWith(`${one}/`))
}

function readExceptions() {
  const text = readFileSync('scripts/words/exceptions.txt', 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [file, part] = line.split('\t')
    return { file, part, isUsed: false }
  })
}

function findingsIn(file) {
  const isCode = !file.endsWith('.md')
  const names = NAMES.filter(([, , allowedIn]) => !allowedIn?.test(file))
  const rules = isCode ? [...WORDS, ...names] : WORDS
  const inName = names.filter(([pattern]) => pattern.test(path.basename(file)))
  const found = inName.map(([, instead]) => ({ file, line: 0, text: path.basename(file), instead }))
  for (const [i, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const [pattern, instead] of rules) {
      const match = pattern.exec(text)
      if (match && !isExcepted(file, text))
        found.push({ file, line: i + 1, text: match[0].trim(), instead })
    }
  }
  return found
}

function isExcepted(file, text) {
  const exception = exceptions.find((one) => one.file === file && text.includes(one.part))
  if (exception) exception.isUsed = true
  return exception !== undefined
}

function report() {
  const hasChecked = (file) => isIncluded(file) || !existsSync(file)
  const unused = exceptions.filter(({ file, isUsed }) => !isUsed && hasChecked(file))
  for (const { file, line, text, instead } of findings) {
    console.error(`${file}:${line}: “${text}”: write ${instead}`)
  }
  for (const { file, part } of unused) console.error(`exceptions.txt: not needed: ${file}: ${part}`)
  console.log(`${findings.length} words to replace, ${unused.length} exceptions not needed`)
  if (findings.length + unused.length > 0) process.exit(1)
}
