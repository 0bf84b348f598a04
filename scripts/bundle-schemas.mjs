// Makes one file of each entry of typebox, beside the compiled program: it comes as seven hundred small ones,
// and reading those took half the time in which a command starts. Where this has not been done, the program
// finds the package as it is.

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildSync } from 'esbuild'

const ENTRIES = { '.': 'index', './value': 'value' }

const folder = path.join(process.argv[2], 'node_modules', 'typebox')
mkdirSync(folder, { recursive: true })
buildSync({
  entryPoints: Object.entries(ENTRIES).map(([entry, out]) => ({
    in: path.posix.join('typebox', entry),
    out,
  })),
  outdir: folder,
  bundle: true,
  splitting: true, // what both have is there once
  format: 'esm',
  platform: 'node',
  logLevel: 'error',
})
const files = Object.entries(ENTRIES).map(([entry, out]) => [entry, `./${out}.js`])
const description = { name: 'typebox', type: 'module', exports: Object.fromEntries(files) }
writeFileSync(path.join(folder, 'package.json'), JSON.stringify(description))
