// Sizes that should not grow unnoticed. Each was measured on a day and may grow by 15% from there. The check prints
// all of them, so a trend is visible before a limit is reached. If a change exceeds one, split or remove something, or
// set the new measurement here and give the reason in the same commit. With --list, it prints the long files.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const SLACK = 1.15
const MEASURED_ON = 'Nov 18, 2026'
const LONG_FILE_LINES = 300
const FULL_FOLDER_FILES = 20

const CONSOLE = 'dist/console'
const FIRST_PAGES = ['src/pages/Start.tsx', 'src/pages/Overview.tsx']
const DOCUMENTS = ['openapi.json', 'openapi.operator.json', 'openapi.sandbox.json']

const BUDGETS = [
  {
    name: `source files over ${LONG_FILE_LINES} lines`,
    measured: 20,
    read: () => longFiles().length,
  },
  {
    name: 'lines of the longest source file',
    measured: 344,
    read: () => Math.max(...lines.values()),
  },
  {
    name: `source folders with more than ${FULL_FOLDER_FILES} files`,
    measured: 11,
    read: () => [...folders.values()].filter((files) => files > FULL_FOLDER_FILES).length,
  },
  {
    name: 'files of the largest source folder',
    measured: 23,
    read: () => Math.max(...folders.values()),
  },
  {
    name: 'bytes of an operation in the OpenAPI documents',
    measured: 3096,
    read: bytesOfOperation,
  },
  { name: "kB of the console's first view, gzip", measured: 205, read: firstViewKb },
]

process.chdir(path.resolve(import.meta.dirname, '..'))
const programs = readdirSync('src', { recursive: true })
  .map((name) => path.posix.join('src', name))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const lines = new Map(
  programs.map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1]),
)
const folders = new Map()
for (const file of programs) {
  const folder = path.posix.dirname(file)
  folders.set(folder, (folders.get(folder) ?? 0) + 1)
}

if (process.argv[1] === import.meta.filename) {
  const { text, isExceeded } = report(BUDGETS)
  console.log(text)
  if (process.argv.includes('--list')) console.log(longFiles().join('\n'))
  if (isExceeded) process.exitCode = 1
}

/** A line for each budget, and whether one is exceeded. */
export function report(budgets) {
  const rows = budgets.map(({ name, measured, read }) => {
    const most = Math.floor(measured * SLACK)
    const now = read()
    const trend = `${measured} on ${MEASURED_ON}, at most ${most}`
    return { isOver: now > most, line: `${String(now).padStart(6)}  ${name} (${trend})` }
  })
  return {
    text: rows.map(({ line, isOver }) => (isOver ? `${line}: too large` : line)).join('\n'),
    isExceeded: rows.some(({ isOver }) => isOver),
  }
}

function longFiles() {
  const long = [...lines].filter(([, count]) => count > LONG_FILE_LINES)
  return long.sort(([, a], [, b]) => b - a).map(([file, count]) => `${count} ${file}`)
}

function bytesOfOperation() {
  const documents = DOCUMENTS.map((file) => JSON.parse(readFileSync(file, 'utf8')))
  const operations = documents.flatMap(({ paths }) => Object.values(paths).flatMap(Object.keys))
  return Math.round(Buffer.byteLength(JSON.stringify(documents)) / operations.length)
}

/** What a browser loads before it shows something: the page, its scripts and styles, the font, and the first screen. */
function firstViewKb() {
  const manifest = JSON.parse(readFileSync(path.join(CONSOLE, '.vite/manifest.json'), 'utf8'))
  const collect = (name, files) => {
    const { file, css = [], assets = [], imports = [] } = manifest[name]
    for (const one of [file, ...css, ...assets]) files.add(one)
    for (const one of imports) collect(one, files)
    return files
  }
  const sizes = FIRST_PAGES.map((page) => {
    const files = collect(page, collect('index.html', new Set(['index.html', 'theme.js'])))
    return [...files].reduce((sum, file) => sum + bytesSent(file), 0)
  })
  return Math.round(Math.max(...sizes) / 1000)
}

function bytesSent(file) {
  const content = readFileSync(path.join(CONSOLE, file))
  return file.endsWith('.woff2') ? content.length : gzipSync(content).length
}
