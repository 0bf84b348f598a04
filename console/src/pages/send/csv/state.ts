// The state of a batch, as the page shows it.

import type { FileFacts, Plan, Problem } from '../../../lib/batch/file'
import type { Choices } from '../../../lib/batch/plan'
import type { BatchEnd, SendResult } from '../../../lib/batch/run'
import type { BatchBefore } from './remembered'

export interface Count {
  messages: number
  segments: number
  price: number
  /** Rows that the service would refuse. */
  refused: readonly Problem[]
  error: unknown
  isWhole: boolean
}

/** What continuing would send. */
export interface Rest {
  messages: number
  segments: number
  price: number
}

export interface Tally {
  /** Messages whose result is known. */
  finished: number
  accepted: number
  refused: number
}

export interface BatchState {
  stage: 'empty' | 'reading' | 'refused' | 'open'
  name: string
  rowsRead: number
  reason: string | null
  facts: FileFacts | null
  choices: Choices | null
  accountId: string
  /** Why nothing can be sent with these choices. */
  problem: string | null
  plan: Plan | null
  /** The plan belongs to earlier choices until the new one is ready. */
  isPlanning: boolean
  count: Count | null
  before: BatchBefore | null
  /** Null until every row is counted. */
  rest: Rest | null
  run: { kind: 'idle' } | { kind: 'running' } | { kind: 'paused' } | BatchEnd
  tally: Tally
  wait: { until: number; error: Error } | null
}

export const NOTHING_KNOWN: Tally = { finished: 0, accepted: 0, refused: 0 }

export const EMPTY_BATCH: BatchState = {
  stage: 'empty',
  name: '',
  rowsRead: 0,
  reason: null,
  facts: null,
  choices: null,
  accountId: '',
  problem: null,
  plan: null,
  isPlanning: false,
  count: null,
  before: null,
  rest: null,
  run: { kind: 'idle' },
  tally: NOTHING_KNOWN,
  wait: null,
}

export function tallyOf(results: readonly (readonly SendResult[] | undefined)[]): Tally {
  const all = results.flatMap((block) => block ?? [])
  const accepted = all.filter(({ success }) => success).length
  return { finished: all.length, accepted, refused: all.length - accepted }
}
