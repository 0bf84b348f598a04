// The transfer size of the console's first view: the page, its scripts and styles, the font, and the first screen
// (Start for new users, Overview for others). The check prints it and fails above the limit.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const FOLDER = 'dist/console'
const FIRST_PAGES = ['src/pages/Start.tsx', 'src/pages/Overview.tsx']
const LIMIT_KB = 230

process.chdir(path.resolve(import.meta.dirname, '..'))
const manifest = JSON.parse(readFileSync(path.join(FOLDER, '.vite/manifest.json'), 'utf8'))

function filesOf(name, files) {
  const { file, css = [], assets = [], imports = [] } = manifest[name]
  for (const one of [file, ...css, ...assets]) files.add(one)
  for (const one of imports) filesOf(one, files)
  return files
}

function sizeOf(file) {
  const content = readFileSync(path.join(FOLDER, file))
  return file.endsWith('.woff2') ? content.length : gzipSync(content).length
}

let largestKb = 0
for (const page of FIRST_PAGES) {
  const files = filesOf(page, filesOf('index.html', new Set(['index.html', 'theme.js'])))
  const sizes = [...files].map((file) => [file, sizeOf(file) / 1000])
  const totalKb = sizes.reduce((sum, [, size]) => sum + size, 0)
  largestKb = Math.max(largestKb, totalKb)
  for (const [file, size] of sizes) console.log(`${size.toFixed(1).padStart(7)} kB  ${file}`)
  console.log(`${totalKb.toFixed(1).padStart(7)} kB  in all, ${page}\n`)
}
console.log(`first view of the console: ${largestKb.toFixed(1)} kB gzip (at most ${LIMIT_KB})`)
if (largestKb > LIMIT_KB) process.exit(1)
