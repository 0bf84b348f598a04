// The documentation for browsers: the site, the references for customers, for operators, and of the sandbox, and
// the errors. This service serves all files, and nothing comes from elsewhere.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ERRORS_PATH } from '../error-catalogue.js'
import { useDocsSite } from './docs-site.js'
import { errorsPage } from './error-page.js'
import type { Json } from './openapi-components.js'
import { type Audience, apiDocument } from './openapi-document.js'
import { type Reference, referencePage, START_SCRIPT } from './reference-page.js'
import { createStaticFiles, hashOf } from './static-files.js'

const require = createRequire(import.meta.url)

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#006972"/>
<path d="M8 9h16v11H15l-5 4v-4H8z" fill="#fff"/></svg>`

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'
const CUSTOMERS = { text: 'API reference', href: '/docs/api' }
const SITE = { text: 'Documentation', href: '/docs' }
const OPERATORS = { text: 'For operators', href: '/docs/operator' }
const SANDBOX = { text: 'Sandbox', href: '/docs/sandbox' }
const ERRORS = { text: 'Errors', href: ERRORS_PATH }

/** For someone who starts the program from its sources. */
const NOT_BUILT = 'The documentation site is not built. Run npm run docs.'

const REFERENCES: (Omit<Reference, 'scripts'> & { path: string; audience: Audience })[] = [
  {
    path: CUSTOMERS.href,
    audience: 'customer',
    title: 'Longcode API',
    documentPath: '/openapi.json',
    links: [SITE, SANDBOX, OPERATORS, ERRORS],
  },
  {
    path: OPERATORS.href,
    audience: 'operator',
    title: 'Longcode API for operators',
    documentPath: '/openapi.operator.json',
    links: [SITE, CUSTOMERS, SANDBOX, ERRORS],
  },
  {
    path: SANDBOX.href,
    audience: 'sandbox',
    title: 'Longcode sandbox API',
    documentPath: '/openapi.sandbox.json',
    links: [SITE, CUSTOMERS, OPERATORS, ERRORS],
  },
]

export function useReference(app: FastifyInstance, siteFolder?: string): void {
  const hasSite = useDocsSite(app, siteFolder)
  const serve = createStaticFiles(app)
  const scripts = [
    readBundle(),
    { path: `/docs/start-${hashOf(START_SCRIPT)}.js`, content: START_SCRIPT },
  ]
  for (const script of scripts) {
    serve(script.path, { type: SCRIPT, make: () => script.content, isForever: true })
  }
  for (const { path: page, audience, ...reference } of REFERENCES) {
    let cached: Json | null = null
    const document = (): Json => {
      cached ??= apiDocument(app, audience)
      return cached
    }
    serve(reference.documentPath, {
      type: 'application/json; charset=utf-8',
      make: () => JSON.stringify(document()),
    })
    const whole = { ...reference, scripts: scripts.map((script) => script.path) }
    serve(page, { type: HTML, make: () => referencePage(whole, document()), isStyledInside: true })
    // Without the documentation site, its address shows the reference.
    if (page === CUSTOMERS.href && !hasSite) {
      const make = () => referencePage({ ...whole, note: NOT_BUILT }, document())
      serve(SITE.href, { type: HTML, make, isStyledInside: true })
    }
  }
  if (!hasSite) serve(ERRORS_PATH, { type: HTML, make: errorsPage, isStyledInside: true })
  serve('/favicon.svg', { type: 'image/svg+xml', make: () => ICON })
  const hidden = { schema: { hide: true } as object }
  app.get('/favicon.ico', hidden, (_request, reply) => reply.redirect('/favicon.svg'))
  // Its address until 0.2.0.
  const open = { ...hidden, config: { scope: null } }
  app.get('/operator/openapi.json', open, (_request, reply) =>
    reply.redirect('/openapi.operator.json'),
  )
}

// The package would register its own routes. We need only its browser script: three megabytes, read and
// hashed once, because a process may run several services.
let bundle: { path: string; content: Buffer } | null = null

function readBundle(): { path: string; content: Buffer } {
  if (bundle) return bundle
  const entry = require.resolve('@scalar/fastify-api-reference')
  const content = readFileSync(path.join(path.dirname(entry), 'js/standalone.js'))
  bundle = { path: `/docs/scalar-${hashOf(content)}.js`, content }
  return bundle
}
