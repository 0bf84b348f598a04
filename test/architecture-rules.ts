// The architecture rules as functions of the text of one file, so the test can also check them
// of texts with a planted fault.

import path from 'node:path'

/** Lowest layer first. Files directly in src/ are the top layer. */
const FLOORS = [
  'kit',
  'text',
  'smpp',
  'sip',
  'accounts',
  'ledger',
  'events',
  'brands',
  'campaigns',
  'numbers',
  'optouts',
  'messages',
  'termination',
  'webhooks',
  'carriers',
  'smsc',
  'voice',
  'sandbox',
  'operator',
  'http',
  'smpp-server',
  'commands',
  'roof',
]

export interface Border {
  what: string
  pattern: RegExp
  allowed: (file: string) => boolean
}

/** However it is brought in: from, import, import(), require(), a file inside the package. */
function module(names: string): RegExp {
  return new RegExp(`(?:from|import|require)\\s*\\(?\\s*['"\`](?:${names})(?:/[^'"\`]*)?['"\`]`)
}

/** A property of a global, by its name, by brackets, or taken apart. */
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
      /^src\/kit\/(?:postgres\/(?:db|pool|pipelines|run-statement|servers)|embedded\/[\w-]+)\.ts$/.test(
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
    // Its own clock is what the doctor compares with ours.
    allowed: (file) => /^src\/kit\/(?:clock|postgres\/server-queries)\.ts$/.test(file),
  },
  {
    what: 'an HTTP client that may call any address',
    pattern: anyOf(module('undici'), /(?<![.\w#])fetch\(/, property('globalThis', 'fetch')),
    allowed: (file) =>
      /^src\/(?:commands\/|kit\/http-client\/(?:guarded-connector|http-client)\.ts$)/.test(file),
  },
  {
    what: 'console output',
    pattern: /\bconsole\b\s*(?:\.|\[|\?|;|\n|,|\))/,
    allowed: (file) => ['commands', 'roof'].includes(roomOf(file)),
  },
]

function roomOf(file: string): string {
  const [, room = '', ...inner] = file.split('/')
  return inner.length === 0 ? 'roof' : room
}

/** Throws for a room that is not on the map. */
function floorOf(file: string): number {
  const floor = FLOORS.indexOf(roomOf(file))
  if (floor === -1) throw new RangeError(`${file}: this room is not on the map`)
  return floor
}

/**
 * The sub-rooms of a room, lowest first. Below them are the files in the room itself, its
 * nouns; above them its roof, the few files that put it together.
 */
const SUB_ROOMS: Record<string, { subRooms: string[]; roof: string[] }> = {
  kit: {
    subRooms: [
      'settings',
      'contract',
      'settings-file',
      'postgres',
      'partitions',
      'embedded',
      'http-client',
    ],
    roof: ['config.ts', 'log.ts', 'world.ts', 'planner-statistics.ts', 'statistics-queries.ts'],
  },
  smpp: {
    subRooms: ['pdu', 'text', 'session', 'sockets'],
    roof: ['receipt.ts', 'write-receipt.ts'],
  },
  sip: { subRooms: ['message', 'forwarding', 'answer'], roof: [] },
  ledger: { subRooms: ['statement'], roof: [] },
  events: { subRooms: ['queue'], roof: [] },
  campaigns: { subRooms: ['renewal', 'review', 'registration'], roof: ['campaign-routes.ts'] },
  numbers: { subRooms: ['forwarding', 'provisioning'], roof: ['number-routes.ts'] },
  messages: {
    subRooms: ['media', 'evidence', 'moves', 'send', 'dispatch', 'inbound', 'usage', 'reads'],
    roof: ['get-timeline.ts', 'message-room.ts', 'message-routes.ts'],
  },
  webhooks: { subRooms: ['deliver', 'stream'], roof: [] },
  carriers: {
    subRooms: ['smpp', 'providers', 'settings', 'setup', 'routing'],
    roof: [],
  },
  voice: { subRooms: ['records'], roof: ['purge-loop.ts', 'voice-room.ts'] },
  operator: {
    subRooms: ['accounts', 'tokens', 'reviews', 'oversight', 'retention'],
    roof: ['operator-routes.ts'],
  },
  commands: { subRooms: ['carrier', 'doctor'], roof: ['program.ts'] },
  http: { subRooms: ['health', 'reference', 'console'], roof: ['app.ts', 'send-fast-path.ts'] },
}

/** Where in its room a file stands. Throws for a sub-room that is not on the map. */
function stepOf(file: string): number {
  const [, , inner = '', deeper] = file.split('/')
  const { subRooms, roof } = SUB_ROOMS[roomOf(file)] ?? { subRooms: [], roof: [] }
  if (deeper === undefined) return roof.includes(inner) ? subRooms.length + 1 : 0
  const step = subRooms.indexOf(inner)
  if (step === -1) throw new RangeError(`${file}: this sub-room is not on the map`)
  return step + 1
}

/** A test may look around in its own room. */
function isAbove(target: string, file: string): boolean {
  const floors = floorOf(target) - floorOf(file)
  const isFree = roomOf(file) === 'roof' || file.endsWith('.test.ts')
  return floors > 0 || (floors === 0 && !isFree && stepOf(target) > stepOf(file))
}

const IMPORT = /(?:from|import|require)\s*\(?\s*['"`](\.[^'"`]+)['"`]/g

/** The sentence for each import that goes up. */
export function upwardImports(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .map(([, target]) => path.posix.join(path.posix.dirname(file), target!))
    .map((target) => target.replace(/\.js$/, '.ts'))
    .filter((target) => target.startsWith('src/') && isAbove(target, file))
    .map((target) => `${file} may not import ${target}`)
}

/** What the file uses and may not. */
export function crossedBorders(file: string, text: string): string[] {
  const code = withoutComments(text)
  return BORDERS.filter(({ pattern, allowed }) => !allowed(file) && pattern.test(code)).map(
    ({ what }) => what,
  )
}

/** Whose each table is: the one room that writes it. */
export const TABLES: Record<string, string> = {
  migrations: 'kit',
  accounts: 'accounts',
  access_tokens: 'accounts',
  console_sessions: 'accounts',
  audit_log: 'accounts',
  idempotency_keys: 'accounts',
  smpp_systems: 'accounts',
  smpp_binds: 'accounts',
  account_ledgers: 'ledger',
  ledger_transfers: 'ledger',
  ledger_closings: 'ledger',
  ledger_days: 'ledger',
  ledger_notes: 'ledger',
  low_balance_alerts: 'ledger',
  prices: 'ledger',
  events: 'events',
  event_deliveries: 'events',
  event_arrivals: 'events',
  event_subscriptions: 'events',
  brands: 'brands',
  registrations: 'brands',
  campaigns: 'campaigns',
  numbers: 'numbers',
  inventory_numbers: 'numbers',
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
  inbound_parts: 'messages',
  media: 'messages',
  media_files: 'messages',
  media_fetches: 'messages',
  media_key: 'messages',
  lost_links: 'messages',
  stray_receipts: 'messages',
  link_evidence: 'messages',
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
  learned_networks: 'carriers',
  carrier_links: 'carriers',
  link_shares: 'carriers',
  carrier_reloads: 'carriers',
  number_calls: 'voice',
  call_records: 'voice',
  call_accounts: 'voice',
  trunk_calls: 'voice',
  voice_key: 'voice',
  smpp_parts: 'smpp-server',
  service_clock: 'sandbox',
  operator_tokens: 'operator',
  account_retention: 'operator',
}

const WRITE =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy|lock\s+table)\s+(?:only\s+)?(?:public\.)?(?:"?(\w+)"?|(\$\{))/gi

/** The tables of other rooms that the file writes; `any` where the name is put in at run time. */
export function foreignWrites(file: string, text: string): string[] {
  const written = [...withoutComments(text).matchAll(WRITE)].map(([, table, hole]) =>
    hole === undefined ? table!.toLowerCase() : 'any',
  )
  const isForeign = (table: string) =>
    table === 'any' || (Object.hasOwn(TABLES, table) && TABLES[table] !== roomOf(file))
  return [...new Set(written.filter(isForeign))]
}

/** Whole lines only: what stands behind code is short, and `//` may be in a text. */
function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/|\/\*|\*).*$/gm, '')
}

const FILES_MAX = 23

/** Folders with too many files. A test is next to its file and is not counted. */
export function crowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = path.posix.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > FILES_MAX)
    .map(([folder, count]) => `${folder}: ${count} files`)
}

const SQL =
  /\b(?:sql|piece)`|['"`]\s*(?:select\s+[\w*(]|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\()/

/** Whether the file speaks SQL and is none of those that may. */
export function hasSqlOutsideQueries(file: string, text: string): boolean {
  return !file.endsWith('-queries.ts') && SQL.test(withoutComments(text))
}
