// Serves the documentation site: the files of its build (dist/docs) at /docs. A page has the address of its file
// without `.html`. Only files that the build made can be requested, because they are listed once.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createStaticFiles, type StaticFile } from './static-files.js'

/** The same path from src and from dist. */
const FOLDER = path.resolve(import.meta.dirname, '../../../dist/docs')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** False: the site is not built, and nothing is served. */
export function useDocsSite(app: FastifyInstance, folder = FOLDER): boolean {
  if (!existsSync(path.join(folder, 'index.html'))) return false
  if (folder === FOLDER) built ??= readBuild(folder)
  const files = folder === FOLDER ? built! : readBuild(folder)
  const missing: StaticFile = { ...files.get('404.html')!, status: 404 }
  const serve = createStaticFiles(app)
  const pageAt = (address: string) => files.get(address) ?? files.get(`${address}.html`) ?? missing
  serve('/docs', pageAt('index'))
  serve('/docs/*', (rest) => pageAt(rest.replace(/\/$/, '') || 'index'))
  serve('/llms.txt', pageAt('llms.txt'))
  return true
}

type Build = ReadonlyMap<string, StaticFile>

/** Listed once, even if a process runs several services. */
let built: Build | null = null

function readBuild(folder: string): Build {
  const files = new Map<string, StaticFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[path.extname(entry.name)]
    if (!type || !entry.isFile()) continue
    const place = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, place).split(path.sep).join('/')
    // Asset names contain a hash of their content.
    const isForever = name.startsWith('assets/')
    files.set(name, { type, make: () => readFileSync(place), isForever })
  }
  return files
}
