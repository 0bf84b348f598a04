// What the first view of the console costs over the wire: the page, its scripts and styles, the page that
// is shown first, and the font. Printed by the check, which fails above the limit.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

const FOLDER = 'dist/console'
const FIRST_PAGE = 'src/pages/Start.tsx'
const LIMIT_KB = 200

process.chdir(path.resolve(import.meta.dirname, '..'))
const manifest = JSON.parse(readFileSync(path.join(FOLDER, '.vite/manifest.json'), 'utf8'))

const files = new Set(['index.html', 'theme.js'])
for (const entry of ['index.html', FIRST_PAGE]) collect(entry)

function collect(name) {
  const { file, css = [], assets = [], imports = [] } = manifest[name]
  for (const one of [file, ...css, ...assets]) files.add(one)
  for (const one of imports) collect(one)
}

const sizes = [...files].map((file) => {
  const content = readFileSync(path.join(FOLDER, file))
  return [file, file.endsWith('.woff2') ? content.length : gzipSync(content).length]
})
const totalKb = sizes.reduce((sum, [, size]) => sum + size, 0) / 1000
for (const [file, size] of sizes) console.log(`${(size / 1000).toFixed(1).padStart(7)} kB  ${file}`)
console.log(`first view of the console: ${totalKb.toFixed(1)} kB gzip (at most ${LIMIT_KB})`)
if (totalKb > LIMIT_KB) process.exit(1)
