// Fails on words that we do not use (rules.mjs) in everything people read: documents, texts, comments, names, tests.
// Quotations, and texts that the contract fixes, are listed in exceptions.txt, one line each: a path, a tab, and a
// part of the line. left.txt has the number of findings in folders that are not edited yet: it may only go down.
// `--list` prints every finding; with paths after it, those of these files or folders.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { NAMES, WORDS } from './rules.mjs'

process.chdir(path.resolve(import.meta.dirname, '../..'))
const READ = /\.(?:md|ts|tsx|mts|mjs|sql|ya?ml|cfg|css|html|sh|example)$|^(?:Dockerfile|\.ci\/run)$/
/** The contract, other people's words, generated files, migrations that have run, and the rules themselves. */
const LEFT_OUT =
  /^(?:docs\/interface\.md|migrations\/|schema\.sql|test\/providers\/documents\/|test\/texts\/|src\/text\/refusal-(?:patterns|words)\.ts|console\/generated\/|scripts\/words\/)/
const SHOWN_MAX = 40

const wanted = process.argv.slice(2).filter((arg) => arg !== '--list')
const isList = process.argv.includes('--list')
const exceptions = readExceptions()
const findings = trackedFiles().flatMap(findingsIn)
report()

function trackedFiles() {
  const all = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0')
  const isWanted = (file) =>
    wanted.length === 0 || wanted.some((one) => file === one || file.startsWith(`${one}/`))
  return all.filter((file) => READ.test(file) && !LEFT_OUT.test(file) && isWanted(file))
}

function readExceptions() {
  return readLines('exceptions.txt').map(([file, part]) => ({ file, part, isUsed: false }))
}

function readLines(name) {
  const text = readFileSync(path.join('scripts', 'words', name), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => line.split('\t'))
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

/** Folders with more findings than left.txt allows. */
function worseFolders() {
  const allowed = new Map(readLines('left.txt').map(([folder, count]) => [folder, Number(count)]))
  const counts = new Map([...allowed.keys()].map((folder) => [folder, 0]))
  for (const { file } of findings) {
    const folder = file
      .split('/')
      .slice(0, file.startsWith('src/') ? 2 : 1)
      .join('/')
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts].filter(([folder, count]) => count > (allowed.get(folder) ?? 0))
}

function report() {
  const isAll = wanted.length === 0
  const unused = isAll ? exceptions.filter(({ isUsed }) => !isUsed) : []
  const worse = isAll && !isList ? worseFolders() : []
  const isShown = ({ file }) => isList || worse.some(([folder]) => file.startsWith(folder))
  const shown = findings.filter(isShown).slice(0, isList ? undefined : SHOWN_MAX)
  for (const { file, line, text, instead } of shown) {
    console.error(`${file}:${line}: “${text}”: write ${instead}`)
  }
  for (const { file, part } of unused) console.error(`exceptions.txt: not needed: ${file}: ${part}`)
  for (const [folder, count] of worse) {
    console.error(`left.txt: ${folder} has ${count} findings, more than before: fix the new ones`)
  }
  console.log(`${findings.length} words to replace, ${unused.length} exceptions not needed`)
  if (unused.length + worse.length > 0 || (!isAll && findings.length > 0)) process.exit(1)
}
