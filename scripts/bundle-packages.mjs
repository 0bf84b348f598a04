// Bundles the packages that the program and tests load into a few large files next to the compiled tests. Otherwise
// each test process would find and read hundreds of small files.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const ENTRIES = {
  typebox: { '.': 'index', './value': 'value' },
  fastify: { '.': 'index' },
  '@fastify/swagger': { '.': 'index' },
  ajv: { './dist/2020.js': '2020' },
  'ajv-formats': { '.': 'index' },
  commander: { '.': 'index' },
  'ipaddr.js': { '.': 'index' },
  'light-my-request': { '.': 'index' },
  pg: { '.': 'index' },
  pino: { '.': 'index' },
  'secure-json-parse': { '.': 'index' },
  undici: { '.': 'index' },
  yaml: { '.': 'index' },
}
// Most packages ask for their parts, and for those of Node, by `require`, which a module does not have.
const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

const root = path.resolve(import.meta.dirname, '..')
const folder = path.resolve(process.argv[2], 'node_modules')
const drafts = path.join(folder, '.drafts')
mkdirSync(drafts, { recursive: true })
await bundle()
rmSync(drafts, { recursive: true })

async function bundle() {
  const entryPoints = []
  for (const [name, entries] of Object.entries(ENTRIES)) {
    for (const [entry, out] of Object.entries(entries)) {
      const draft = path.join(drafts, `${name.replace('/', '-')}-${out}.mjs`)
      writeFileSync(draft, await namesOf(path.posix.join(name, entry)))
      entryPoints.push({ in: draft, out: path.join(name, out) })
    }
  }
  await build({
    entryPoints,
    outdir: folder,
    bundle: true,
    splitting: true, // what several have is there once
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    banner: { js: REQUIRE },
    nodePaths: [path.join(root, 'node_modules')],
    external: ['pg-native'],
    logLevel: 'error',
  })
  // Not before: they would be found in place of the packages.
  for (const [name, entries] of Object.entries(ENTRIES)) describe(name, entries)
}

/** A module with the names that Node finds in a package, of whichever kind. */
async function namesOf(address) {
  const names = Object.keys(await import(address)).filter((name) => /^[\w$]+$/.test(name))
  const lines = names.map((name) =>
    name === 'default' ? 'export default all.default' : `export const ${name} = all.${name}`,
  )
  return [`import * as all from ${JSON.stringify(address)}`, ...lines, ''].join('\n')
}

function describe(name, entries) {
  const exports = Object.entries(entries).map(([entry, out]) => [entry, `./${out}.mjs`])
  const description = { name, exports: Object.fromEntries(exports) }
  writeFileSync(path.join(folder, name, 'package.json'), JSON.stringify(description))
}
