// Serves the console: the files of its build (dist/console) at /console. Every path below it that is not a
// file gets the page itself, which shows the view for that path.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createStaticFiles, type StaticFile } from '../reference/static-files.js'

/** The same path from src and from dist. */
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
    // Started from source, without the build that `npm start` makes.
    app.get('/console/*', hidden, (_request, reply) =>
      reply.code(404).type('text/plain').send('The console is not built. Run npm run build.\n'),
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

/** Read and compressed once, even if a process runs several services. */
let built: Build | null = null

function readBuild(folder: string): Build {
  const files = new Map<string, StaticFile>()
  for (const file of filesIn(folder)) {
    const type = TYPES[path.extname(file)]
    if (!type) continue
    const make = () => readFileSync(path.join(folder, file))
    // Asset names contain a hash of their content.
    files.set(file, { type, make, isForever: file.startsWith('assets/') })
  }
  return { page: { type: HTML, make: () => readFileSync(path.join(folder, 'index.html')) }, files }
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.split(path.sep).join('/'),
  )
}
