// The architecture rules as functions of the text of one file, so the test can also check them on texts with a
// planted fault.

import path from 'node:path'

/** Lowest layer first. Files directly in src/ are the top layer. */
const LAYERS = [
  'kit',
  'text',
  'smpp',
  'sip',
  'accounts',
  'mail',
  'people',
  'ledger',
  'events',
  'brands',
  'campaigns',
  'numbers',
  'optouts',
  'messages',
  'inbox',
  'alerts',
  'termination',
  'webhooks',
  'quotas',
  'carriers',
  'smsc',
  'voice',
  'sandbox',
  'operator',
  'twilio',
  'http',
  'smpp-server',
  'commands',
  'top',
]

export interface Border {
  what: string
  pattern: RegExp
  allowed: (file: string) => boolean
}

/** Matches every form: from, import, import(), require(), or a file inside the package. */
function module(names: string): RegExp {
  return new RegExp(`(?:from|import|require)\\s*\\(?\\s*['"\`](?:${names})(?:/[^'"\`]*)?['"\`]`)
}

/** A property of a global, by its name, in brackets, or destructured. */
function property(global: string, names: string): RegExp {
  const taken = `\\{[^{}]*\\b(?:${names})\\b[^{}]*\\}(?::[^=]*)?\\s*=\\s*(?:globalThis\\.)?${global}\\b`
  return new RegExp(
    `\\b${global}\\s*(?:\\?\\.|\\.)\\s*(?:${names})\\b|\\b${global}\\s*\\[['"\`]|${taken}`,
  )
}

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'))
}

export const BORDERS: Border[] = [
  {
    what: 'fastify',
    pattern: module('fastify|@fastify/[^/\'"`]+'),
    allowed: (file) => /^src\/(?:http\/|serve\.ts)|-routes\.ts$/.test(file),
  },
  {
    what: 'pg',
    pattern: module('pg|pg-[\\w-]+'),
    allowed: (file) =>
      /^src\/kit\/(?:postgres\/(?:db|listener|pool|pipelines|run-statement|servers)|embedded\/[\w-]+)\.ts$/.test(
        file,
      ),
  },
  {
    what: 'process.env',
    pattern: anyOf(property('process', 'env'), module('(?:node:)?process')),
    allowed: (file) => file === 'src/kit/settings/environment.ts',
  },
  {
    what: 'the system clock',
    pattern: anyOf(
      property('Date', 'now'),
      /new Date\s*\(\s*\)|new Date\b(?!\s*\()|(?<!new )(?<![\w.])Date\(\)/,
    ),
    allowed: (file) => /^src\/kit\/(?:clock|embedded\/[\w-]+)\.ts$/.test(file),
  },
  {
    what: 'the clock of the database',
    pattern:
      /(?<![.\w])now\(\)(?! *[:{])|\b(?:current|local)_?timestamp\b|\b(?:clock|statement|transaction)_timestamp\b|\bcurrent_(?:date|time)\b/i,
    // The doctor compares the clock of the database with ours.
    allowed: (file) => /^src\/kit\/(?:clock|postgres\/server-queries)\.ts$/.test(file),
  },
  {
    what: 'an HTTP client that may call any address',
    pattern: anyOf(module('undici'), /(?<![.\w#])fetch\(/, property('globalThis', 'fetch')),
    allowed: (file) => /^src\/(?:commands\/|kit\/http-client\/guarded-connector\.ts$)/.test(file),
  },
  {
    what: 'console output',
    pattern: /\bconsole\b\s*(?:\.|\[|\?|;|\n|,|\))/,
    allowed: (file) => ['commands', 'top'].includes(moduleOf(file)),
  },
]

function moduleOf(file: string): string {
  const [, name = '', ...inner] = file.split('/')
  return inner.length === 0 ? 'top' : name
}

/** Throws for a module that is not in LAYERS. */
function layerOf(file: string): number {
  const layer = LAYERS.indexOf(moduleOf(file))
  if (layer === -1) throw new RangeError(`${file}: this module is not listed in LAYERS`)
  return layer
}

/**
 * The submodules of a module, lowest first. Files directly in the module (its basic types) are below them, and
 * `top`, the few files that combine everything, is above them.
 */
const SUBMODULES: Record<string, { submodules: string[]; top: string[] }> = {
  kit: {
    submodules: [
      'settings',
      'work',
      'contract',
      'settings-file',
      'postgres',
      'partitions',
      'embedded',
      'http-client',
      'tracing',
    ],
    top: ['config.ts', 'log.ts', 'world.ts', 'planner-statistics.ts', 'statistics-queries.ts'],
  },
  smpp: {
    submodules: ['pdu', 'text', 'session', 'sockets'],
    top: ['receipt.ts', 'write-receipt.ts'],
  },
  sip: { submodules: ['message', 'forwarding', 'answer'], top: [] },
  ledger: { submodules: ['statement'], top: [] },
  events: { submodules: ['queue'], top: [] },
  campaigns: { submodules: ['renewal', 'review', 'registration'], top: ['campaign-routes.ts'] },
  numbers: { submodules: ['forwarding', 'provisioning'], top: ['number-routes.ts'] },
  messages: {
    submodules: [
      'media',
      'evidence',
      'moves',
      'send',
      'dispatch',
      'inbound',
      'usage',
      'reads',
      'exports',
    ],
    top: ['get-timeline.ts', 'message-room.ts', 'message-routes.ts'],
  },
  webhooks: { submodules: ['deliver', 'stream'], top: [] },
  carriers: {
    submodules: ['smpp', 'providers', 'settings', 'setup', 'routing'],
    top: [],
  },
  voice: { submodules: ['records'], top: ['purge-loop.ts', 'voice-room.ts'] },
  operator: {
    submodules: [
      'accounts',
      'tokens',
      'users',
      'reviews',
      'oversight',
      'retention',
      'support',
      'branding',
      'alerts',
    ],
    top: ['operator-routes.ts'],
  },
  twilio: { submodules: ['callbacks'], top: [] },
  commands: { submodules: ['carrier', 'doctor', 'customer', 'completion'], top: ['program.ts'] },
  http: {
    submodules: ['connections', 'health', 'reference', 'console', 'fast'],
    top: ['app.ts', 'api-routes.ts'],
  },
}

/** The position of a file in its module. Throws for a submodule that is not listed. */
function positionOf(file: string): number {
  const [, , inner = '', deeper] = file.split('/')
  const { submodules, top } = SUBMODULES[moduleOf(file)] ?? { submodules: [], top: [] }
  if (deeper === undefined) return top.includes(inner) ? submodules.length + 1 : 0
  const position = submodules.indexOf(inner)
  if (position === -1) throw new RangeError(`${file}: this submodule is not listed in SUBMODULES`)
  return position + 1
}

/** A test may import anything in its own module. */
function isAbove(target: string, file: string): boolean {
  const layers = layerOf(target) - layerOf(file)
  const isFree = moduleOf(file) === 'top' || file.endsWith('.test.ts')
  return layers > 0 || (layers === 0 && !isFree && positionOf(target) > positionOf(file))
}

const IMPORT = /(?:from|import|require)\s*\(?\s*['"`](\.[^'"`]+)['"`]/g

/** One sentence for each upward import. */
export function upwardImports(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .map(([, target]) => path.posix.join(path.posix.dirname(file), target!))
    .map((target) => target.replace(/\.js$/, '.ts'))
    .filter((target) => target.startsWith('src/') && isAbove(target, file))
    .map((target) => `${file} may not import ${target}`)
}

/** What the file uses without permission. */
export function crossedBorders(file: string, text: string): string[] {
  const code = withoutComments(text)
  return BORDERS.filter(({ pattern, allowed }) => !allowed(file) && pattern.test(code)).map(
    ({ what }) => what,
  )
}

/** The owner of each table: the only module that writes it. */
export const TABLES: Record<string, string> = {
  migrations: 'kit',
  traces: 'kit',
  accounts: 'accounts',
  access_tokens: 'accounts',
  console_sessions: 'accounts',
  audit_log: 'accounts',
  idempotency_keys: 'accounts',
  smpp_systems: 'accounts',
  smpp_binds: 'accounts',
  users: 'people',
  memberships: 'people',
  passkeys: 'people',
  invitations: 'people',
  user_sessions: 'people',
  sign_in_steps: 'people',
  sign_in_limits: 'people',
  account_ledgers: 'ledger',
  ledger_transfers: 'ledger',
  ledger_closings: 'ledger',
  ledger_days: 'ledger',
  ledger_notes: 'ledger',
  low_balance_alerts: 'ledger',
  prices: 'ledger',
  conversations: 'inbox',
  conversation_notes: 'inbox',
  contacts: 'inbox',
  saved_replies: 'inbox',
  alerts: 'alerts',
  alert_settings: 'alerts',
  alert_lease: 'alerts',
  emails: 'mail',
  events: 'events',
  event_deliveries: 'events',
  event_arrivals: 'events',
  delivery_batches: 'events',
  event_subscriptions: 'events',
  brands: 'brands',
  registrations: 'brands',
  campaigns: 'campaigns',
  numbers: 'numbers',
  number_inventory: 'numbers',
  rented_numbers: 'numbers',
  campaign_profiles: 'numbers',
  forwarding_changes: 'numbers',
  forwarding_limits: 'numbers',
  forwarding_stops: 'numbers',
  optouts: 'optouts',
  optout_changes: 'optouts',
  messages: 'messages',
  link_pauses: 'messages',
  lanes: 'messages',
  handoffs: 'messages',
  inbound_message_parts: 'messages',
  media: 'messages',
  media_files: 'messages',
  media_totals: 'messages',
  stored_counts: 'messages',
  media_fetches: 'messages',
  media_secret: 'messages',
  message_exports: 'messages',
  message_export_parts: 'messages',
  link_outages: 'messages',
  unmatched_receipts: 'messages',
  link_evidence: 'messages',
  carrier_ids: 'messages',
  carrier_messages: 'messages',
  inbound_ids: 'messages',
  submits: 'messages',
  usage_progress: 'messages',
  usage_sums: 'messages',
  usage_counts: 'messages',
  usage_totals: 'messages',
  usage_changes: 'messages',
  usage_mark: 'messages',
  open_counts: 'messages',
  campaign_endings: 'termination',
  webhooks: 'webhooks',
  webhook_attempts: 'webhooks',
  number_lookup_cache: 'carriers',
  carrier_links: 'carriers',
  link_shares: 'carriers',
  carrier_reloads: 'carriers',
  number_calls: 'voice',
  call_records: 'voice',
  call_accounts: 'voice',
  trunk_calls: 'voice',
  voice_secret: 'voice',
  smpp_parts: 'smpp-server',
  service_clock: 'sandbox',
  twilio_credentials: 'twilio',
  operator_tokens: 'operator',
  account_brandings: 'operator',
  account_retention: 'operator',
  record_retention: 'operator',
}

const WRITE =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy|lock\s+table)\s+(?:only\s+)?(?:public\.)?(?:"?(\w+)"?|(\$\{))/gi

/** The tables of other modules that the file writes, or `any` if the name is inserted at run time. */
export function foreignWrites(file: string, text: string): string[] {
  const written = [...withoutComments(text).matchAll(WRITE)].map(([, table, hole]) =>
    hole === undefined ? table!.toLowerCase() : 'any',
  )
  const isForeign = (table: string) =>
    table === 'any' || (Object.hasOwn(TABLES, table) && TABLES[table] !== moduleOf(file))
  return [...new Set(written.filter(isForeign))]
}

/** Removes only whole-line comments: trailing comments are short, and `//` may be part of a string. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/|\/\*|\*).*$/gm, '')
}

const SQL =
  /\b(?:sql|piece)`|['"`]\s*(?:select\s+[\w*(]|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/

/** Whether a file that is not a query file contains SQL. */
export function hasSqlOutsideQueries(file: string, text: string): boolean {
  return !file.endsWith('-queries.ts') && SQL.test(withoutComments(text))
}

const EXPORTED_TYPE =
  /^export (?:declare )?(?:abstract )?(?:type|interface|class|(?:const )?enum) +(\w+)/gm

/** Types that several files export under one name. A name means one thing. */
export function ambiguousTypes(files: readonly string[], read: (file: string) => string): string[] {
  const definedIn = new Map<string, Set<string>>()
  for (const file of files) {
    for (const [, name] of read(file).matchAll(EXPORTED_TYPE)) {
      definedIn.set(name!, (definedIn.get(name!) ?? new Set()).add(file))
    }
  }
  return [...definedIn]
    .filter(([, places]) => places.size > 1)
    .map(
      ([name, places]) =>
        `${name} is exported by ${[...places].join(' and ')}: share one definition, or name each for what it is`,
    )
}
