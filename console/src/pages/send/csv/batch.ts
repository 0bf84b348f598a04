// The open batch in this browser: its file, the choices made for it, the service's count, and its progress. It
// outlives its page, so navigating away does not stop it.

import { useSyncExternalStore } from 'react'
import { previewBatch, sendBatch } from '../../../api/send-queries'
import type { BlockRows, FileFacts, Plan } from '../../../lib/batch/file'
import { type Choices, choicesProblem, FILE_BYTES_MAX } from '../../../lib/batch/plan'
import { type BatchEnd, isOpen, patiently, runBatch, type SendResult } from '../../../lib/batch/run'
import { plural } from '../../../lib/format'
import { toast } from '../../../ui/feedback/Toast'
import { type FileWorker, startFileWorker } from './ask-worker'
import { isForgotten, recallBatch, rememberBatch } from './remembered'
import { furthest, type RowCost, restOf } from './rest'
import { further, SentBlocks } from './sent-blocks'
import { type BatchState, type Count, EMPTY_BATCH, NOTHING_KNOWN, tallyOf } from './state'

let state: BatchState = EMPTY_BATCH
const watchers = new Set<() => void>()
let worker: FileWorker | null = null
let counting = new AbortController()
let sending = new AbortController()
let results: (readonly SendResult[])[] = []
let costs: (readonly RowCost[])[] = []

export function useBatch(): BatchState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
}

function set(change: Partial<BatchState>): void {
  state = { ...state, ...change }
  for (const watcher of watchers) watcher()
}

export function closeFile(): void {
  counting.abort()
  sending.abort()
  worker?.end()
  worker = null
  results = []
  state = EMPTY_BATCH
  set({})
}

export async function openFile(file: File): Promise<void> {
  closeFile()
  if (file.size > FILE_BYTES_MAX) {
    set({
      stage: 'refused',
      name: file.name,
      reason: 'The file is over 50 MB. Split it into smaller files.',
    })
    return
  }
  set({ stage: 'reading', name: file.name, rowsRead: 0 })
  worker = startFileWorker((rowsRead) => set({ rowsRead }))
  const mine = worker
  try {
    const facts = await mine.ask<FileFacts>({ kind: 'read', file })
    if (worker === mine) set({ stage: 'open', facts })
  } catch (error) {
    if (worker === mine) set({ stage: 'refused', reason: (error as Error).message })
  }
}

/** Plans the rows again and recounts them from the first block on. */
export async function planBatch(choices: Choices, accountId: string): Promise<void> {
  const { facts } = state
  if (!worker || !facts || state.run.kind === 'running') return
  counting.abort()
  counting = new AbortController()
  const { signal } = counting
  const problem = choicesProblem(facts.header, choices)
  const idle = { kind: 'idle' } as const
  const fresh = { count: null, before: null, rest: null, tally: NOTHING_KNOWN, run: idle }
  results = []
  set({ ...fresh, choices, problem, isPlanning: problem === null })
  if (problem !== null) {
    set({ plan: null })
    return
  }
  const plan = await worker.ask<Plan>({ kind: 'plan', choices })
  if (signal.aborted) return
  set({ plan, isPlanning: false, accountId, before: recallBatch(accountId, plan.name) })
  await countBlocks(plan, signal)
}

export function recount(): void {
  if (!state.plan) return
  counting.abort()
  counting = new AbortController()
  void countBlocks(state.plan, counting.signal)
}

async function countBlocks(plan: Plan, signal: AbortSignal): Promise<void> {
  const { blocks } = plan
  const sent = new SentBlocks(blocks.length)
  let count: Count = {
    messages: 0,
    segments: 0,
    price: 0,
    refused: [],
    error: null,
    isWhole: false,
  }
  costs = []
  set({ count, rest: null })
  const waits = { onWait: () => {}, pause }
  try {
    for (const block of blocks.keys()) {
      const { messages, lines } = await worker!.ask<BlockRows>({ kind: 'block', block })
      if (signal.aborted) return
      const preview = (part: readonly object[], key: string | null) =>
        patiently(() => previewBatch(part, key, signal), waits, signal)
      const reply = await sent.find(messages, (round) => keyOf(plan, block, round), preview)
      if (signal.aborted) return
      const refused = reply.results.flatMap((result, i) =>
        result.success ? [] : [{ line: lines[i]!, problem: result.error }],
      )
      costs[block] = reply.results.map((result) =>
        result.success ? { segments: result.numSegments, price: result.price } : null,
      )
      count = {
        ...count,
        messages: count.messages + reply.numMessages,
        segments: count.segments + reply.numSegments,
        price: count.price + reply.price,
        refused: [...count.refused, ...refused],
      }
      set({ count })
    }
    const before = further(state.before, sent.before())
    set({ count: { ...count, isWhole: true }, before })
    tellRest()
  } catch (error) {
    if (!signal.aborted) set({ count: { ...count, error } })
  }
}

function keyOf({ name }: Plan, block: number, round: number): string {
  return `csv-${name}-${block}-${round}`
}

/** Known once every row is counted. Until a run ends, the page shows its progress instead. */
function tellRest(): void {
  if (!state.count?.isWhole) return
  const blocksDone = results.findLastIndex((_, block) => isSettled(block)) + 1
  const own = results.length > 0 ? { blocksDone, open: openRows(blocksDone) } : null
  set({ rest: restOf(costs, furthest(own, state.before)) })
}

/** The rows of a block that a further request would send. Undefined: all of them. */
function openRows(block: number): number[] | undefined {
  return results[block]?.flatMap((result, i) => (isOpen(result) ? [i] : []))
}

export async function startBatch(): Promise<void> {
  const { plan, before, accountId } = state
  if (!plan || !worker || state.isPlanning || state.run.kind === 'running') return
  sending = new AbortController()
  const { signal } = sending
  const mine = worker
  const firstBlock = before && isForgotten(before) ? before.blocksDone : 0
  set({ run: { kind: 'running' }, wait: null })
  const work = {
    blocks: plan.blocks.length,
    read: async (block: number) => (await mine.ask<BlockRows>({ kind: 'block', block })).messages,
    post: sendBatch,
    keyOf: (block: number, round: number) => keyOf(plan, block, round),
    onResults: (block: number, blockResults: readonly SendResult[]) => {
      results[block] = blockResults
      void mine.ask({ kind: 'take', block, results: blockResults })
      const tally = tallyOf(results)
      set({ tally })
      const blocksDone = block + (isSettled(block) ? 1 : 0)
      const kept = {
        ...{ blocksDone, blocks: plan.blocks.length, accepted: tally.accepted },
        open: openRows(blocksDone),
      }
      rememberBatch(accountId, plan.name, kept)
    },
    onWait: (wait: { seconds: number; error: Error } | null) =>
      set({ wait: wait && { ...wait, until: Date.now() + wait.seconds * 1_000 } }),
    pause,
    // An earlier day whose keys have expired: these rows were sent.
    skip: (block: number) => block < firstBlock || isSettled(block),
  }
  try {
    const end = await runBatch(work, signal)
    if (worker !== mine) return
    set({ run: end, wait: null })
    tellRest()
    if (watchers.size === 0) tellElsewhere(end)
  } catch {
    if (worker !== mine) return
    set({ run: { kind: 'paused' }, wait: null })
    tellRest()
  }
}

/** Notifies someone who left the page about the result. */
function tellElsewhere({ kind }: BatchEnd): void {
  const sent = plural(state.tally.accepted, 'message')
  toast(`${state.name}: ${sent} accepted${kind === 'done' ? '' : ', sending stopped'}`)
}

/** The block is complete, so it needs no further request. */
function isSettled(block: number): boolean {
  const blockResults = results[block]
  return blockResults !== undefined && !blockResults.some(isOpen)
}

/** Stops after the current block, which may have been sent. Continuing requests it again. */
export function pauseBatch(): void {
  sending.abort()
}

export async function resultFile(): Promise<Blob> {
  return worker!.ask<Blob>({ kind: 'results' })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
