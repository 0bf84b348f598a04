// The table of `npm run bench -- cost --profile`: the CPU time of the service per message by kind of work, from V8 CPU
// profiles. A sample counts for the innermost function on its stack that has a kind, so the time in PostgreSQL's driver
// includes the socket writes only if no rule names them first.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
  columnNumber: number
}

interface ProfileNode {
  id: number
  callFrame: CallFrame
  children?: number[]
}

interface Profile {
  nodes: ProfileNode[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

/** In microseconds of the monotonic clock, which profiles use too. */
export interface Span {
  from: number
  to: number
}

export function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

const FUNCTIONS_SHOWN = 12
const IDLE = '(idle)'

/** Frames of V8 itself. */
const BY_NAME: Record<string, string> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'native code and system calls',
  writev: 'socket writes',
  writeBuffer: 'socket writes',
  writeUtf8String: 'socket writes',
  writeLatin1String: 'socket writes',
}

/** The first that matches counts. */
const BY_URL: readonly [RegExp, string][] = [
  [/node:_http|node:internal\/http/, 'HTTP parsing and responses'],
  [/node_modules\/undici/, 'HTTP client (undici)'],
  [/node_modules\/(pg|pg-protocol|pg-types|pg-pool)\//, 'PostgreSQL protocol'],
  [/src\/kit\/postgres\/pg-(array|time)/, 'parameters and rows'],
  [/src\/kit\/postgres\//, 'statements, deadlines, pools'],
  [/-queries\.ts|src\/kit\/postgres\/pieces/, 'parameters and rows'],
  [/src\/kit\/batch-writer|src\/kit\/in-flight|src\/kit\/semaphore/, 'batching'],
  [/src\/kit\/ids/, 'IDs'],
  [/src\/kit\/contract\/|src\/.*check-send|ajv/, 'validation'],
  [/src\/text\//, 'text'],
  [
    /src\/(kit\/log|http\/request-log|kit\/metrics|http\/health\/|kit\/tracing)/,
    'log, metrics, traces',
  ],
  [/src\/http\/|src\/accounts\//, 'request: token, limits, response'],
  [/src\/messages\/send\/|src\/ledger\//, 'accept'],
  [/src\/smpp\/|src\/smsc\//, 'SMPP'],
  [/src\/carriers\//, 'carrier links'],
  [/src\/messages\/dispatch\//, 'dispatch'],
  [/src\/messages\/moves\//, 'moves and receipts'],
  [/src\/(webhooks|events)\//, 'events and webhooks'],
  [/src\/kit\/http-client/, 'HTTP client (own)'],
  [/src\//, 'other service code'],
  [/node:internal\/(timers|process)|node:timers/, 'timers, ticks, promises'],
  [/node:(net|stream|internal\/stream|internal\/streams|_tls)/, 'sockets and streams'],
  [/node:(events|internal\/async_hooks)/, 'sockets and streams'],
]

/** dist/ is bundled: its source maps lead to the files of src/ and of the packages. */
const maps = new Map<string, SourceMap | null>()

function sourceOf({ url, lineNumber, columnNumber }: CallFrame): string {
  if (!url.startsWith('file:')) return url
  let map = maps.get(url)
  if (map === undefined) {
    const file = `${fileURLToPath(url)}.map`
    map = existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null
    maps.set(url, map)
  }
  const entry = map?.findEntry(lineNumber, columnNumber)
  return entry && 'originalSource' in entry ? entry.originalSource : url
}

function kindOf(functionName: string, url: string): string | null {
  const named = Object.hasOwn(BY_NAME, functionName) && url === '' ? BY_NAME[functionName] : null
  if (named) return named
  const isBuffer = url.startsWith('node:buffer') || url.startsWith('node:internal/buffer')
  if (url === '' || isBuffer) return null // counts for its caller
  return BY_URL.find(([pattern]) => pattern.test(url))?.[1] ?? null
}

/** The time of each kind of work per message, and of the hottest functions. */
export function profileLines(
  folder: string,
  spans: readonly Span[],
  perMessageUs: number,
): string[] {
  const [kinds, functions] = [new Map<string, number>(), new Map<string, number>()]
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Profile
    addProfile(profile, spans, kinds, functions)
  }
  // Samples are of real time: on a busy machine they include waits for a core. So only their shares count.
  const total = [...kinds.values()].reduce((sum, us) => sum + us, 0)
  const largest = (sums: Map<string, number>) => [...sums].sort(([, a], [, b]) => b - a)
  const line = ([name, us]: [string, number]) =>
    `    ${((us / total) * perMessageUs).toFixed(1).padStart(6)} µs ${name}`
  return [
    ...largest(kinds).map(line),
    '    functions',
    ...largest(functions).slice(0, FUNCTIONS_SHOWN).map(line),
  ]
}

function addProfile(
  { nodes, startTime, samples, timeDeltas }: Profile,
  spans: readonly Span[],
  kinds: Map<string, number>,
  functions: Map<string, number>,
): void {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  )
  const frames = new Map(
    nodes.map(({ id, callFrame }) => [id, { ...callFrame, url: sourceOf(callFrame) }]),
  )
  const kindOfNode = new Map<number, string>()
  const resolve = (id: number): string => {
    const known = kindOfNode.get(id)
    if (known) return known
    const parent = parents.get(id)
    const frame = frames.get(id)!
    const kind =
      kindOf(frame.functionName, frame.url) ?? (parent === undefined ? 'other' : resolve(parent))
    kindOfNode.set(id, kind)
    return kind
  }
  let at = startTime
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i]!
    const frame = frames.get(id)!
    if (frame.functionName === IDLE || !spans.some(({ from, to }) => at >= from && at <= to))
      continue
    const us = timeDeltas[i + 1] ?? 0
    add(kinds, resolve(id), us)
    add(
      functions,
      `${frame.functionName || '(anonymous)'} ${frame.url.replace(/.*\/(src|node_modules)\//, '$1/')}`,
      us,
    )
  }
}

function add(sums: Map<string, number>, key: string, us: number): void {
  sums.set(key, (sums.get(key) ?? 0) + us)
}
