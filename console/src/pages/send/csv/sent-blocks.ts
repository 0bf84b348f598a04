// What the service has of a batch that another browser, or another person, started: found by the keys of its requests while
// its blocks are counted. Blocks are sent in order, so the first one that was not sent ends the search.

import { isOpen, type SendResult } from '../../../lib/batch/run'
import type { BatchBefore } from './remembered'

interface Preview {
  sent?: { at: string; results: readonly SendResult[] } | null
}

export class SentBlocks {
  readonly #blocks: number
  readonly #found: (SendResult | null)[][] = []
  #firstAt: string | null = null
  #isOver = false

  constructor(blocks: number) {
    this.#blocks = blocks
  }

  /** Counts a block, and finds its results, round by round as it was sent. */
  async find<Reply extends Preview>(
    messages: readonly object[],
    keyOf: (round: number) => string,
    preview: (part: readonly object[], key: string | null) => Promise<Reply>,
  ): Promise<Reply> {
    const first = await preview(messages, this.#isOver ? null : keyOf(0))
    const results: (SendResult | null)[] = messages.map(() => null)
    let sent = first.sent
    for (let round = 1; sent; round += 1) {
      this.#firstAt ??= sent.at
      const open = openPlaces(results)
      for (const [place, i] of open.entries()) results[i] = sent.results[place] ?? null
      const part = openPlaces(results).map((i) => messages[i]!)
      sent = part.length > 0 ? (await preview(part, keyOf(round))).sent : null
    }
    if (!this.#isOver) this.#found.push(results)
    this.#isOver ||= results.some(isOpen)
    return first
  }

  /** Null if nothing was sent. */
  before(): BatchBefore | null {
    if (this.#firstAt === null) return null
    const blocksDone = this.#found.filter((results) => !results.some(isOpen)).length
    const next = this.#found[blocksDone]
    const accepted = this.#found.flat().filter((result) => result?.success).length
    const open = next && openPlaces(next)
    return { firstAt: this.#firstAt, blocks: this.#blocks, blocksDone, accepted, open }
  }
}

function openPlaces(results: readonly (SendResult | null)[]): number[] {
  return results.flatMap((result, i) => (isOpen(result) ? [i] : []))
}

/** What this browser remembers, unless the service has more. */
export function further(own: BatchBefore | null, found: BatchBefore | null): BatchBefore | null {
  if (!own || !found) return own ?? found
  return found.accepted > own.accepted ? { ...found, firstAt: own.firstAt } : own
}
