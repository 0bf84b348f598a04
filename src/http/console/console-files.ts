// The console: the files that its build left in dist/console, at /console. Every address below it that is
// no file is the page itself, which then shows the place that the address names.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createStaticFiles, type StaticFile } from '../reference/static-files.js'

/** The same from src and from dist. */
const FOLDER = path.resolve(import.meta.dirname, '../../../dist/console')

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}
const HTML = 'text/html; charset=utf-8'

export function useConsole(app: FastifyInstance, folder = FOLDER): void {
  const serve = createStaticFiles(app)
  const hidden = { schema: { hide: true } as object, config: { scope: null } }
  app.get('/', hidden, (_request, reply) => reply.redirect('/console/'))
  if (!existsSync(path.join(folder, 'index.html'))) {
    // Run from its source, without the build that `npm start` makes.
    app.get('/console/*', hidden, (_request, reply) =>
      reply.code(404).type('text/plain').send('The console has not been built: npm run build.\n'),
    )
    return
  }
  if (folder === FOLDER) built ??= readBuild(folder)
  const { page, files } = folder === FOLDER ? built! : readBuild(folder)
  serve('/console', page)
  serve('/console/*', (rest) => files.get(rest) ?? page)
}

interface Build {
  page: StaticFile
  files: ReadonlyMap<string, StaticFile>
}

/** Read and compressed once, however many services a process has. */
let built: Build | null = null

function readBuild(folder: string): Build {
  const files = new Map<string, StaticFile>()
  for (const file of filesIn(folder)) {
    const type = TYPES[path.extname(file)]
    if (!type) continue
    const make = () => readFileSync(path.join(folder, file))
    // Names of assets hold a hash of their content.
    files.set(file, { type, make, isForever: file.startsWith('assets/') })
  }
  return { page: { type: HTML, make: () => readFileSync(path.join(folder, 'index.html')) }, files }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.split(path.sep).join('/'),
  )
}
