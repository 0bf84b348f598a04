// Bundles the compiled program and its packages into a few large files in place of its entry points. Finding and
// reading 1,300 small files took two thirds of the startup time. Files that scripts and tests load directly stay
// next to them unchanged.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

const ENTRIES = ['main.js', 'serve.js']
// These read files next to their own, or do not exist.
const LEFT = ['sharp', 'pg-native', '@node-rs/argon2']
// Packages ask for what Node brings by `require`, which a module does not have.
const REQUIRE = `import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);`

const folder = path.resolve(process.argv[2])
await build({
  entryPoints: ENTRIES.map((file) => path.join(folder, file)),
  outdir: folder,
  allowOverwrite: true,
  bundle: true,
  splitting: true, // a command loads what it needs, not all
  chunkNames: 'part-[hash]',
  format: 'esm',
  platform: 'node',
  banner: { js: REQUIRE },
  external: LEFT,
  sourcemap: true,
  logLevel: 'error',
  plugins: [{ name: 'places', setup: keepPlaces }],
})

/** A file that looks for others does so from where it was. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\.js$/ }, ({ path: file }) => {
    const within = path.relative(folder, path.dirname(file))
    if (within.startsWith('..') || within.startsWith('node_modules')) return null
    const text = readFileSync(file, 'utf8')
    if (!text.includes('import.meta.dirname')) return null
    const place = `(import.meta.dirname + ${JSON.stringify(path.join('/', within))})`
    return { contents: text.replaceAll('import.meta.dirname', place) }
  })
}
