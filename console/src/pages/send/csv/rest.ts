// What is left of a batch, and its price: the rows of all blocks after the last complete one, without the rows of the
// next block that were settled. Pure.

import type { BatchBefore } from './remembered'
import type { Rest } from './state'

/** The segments and price of a row, as the service counted them. Null: it would refuse the row. */
export type RowCost = { segments: number; price: number } | null

type Progress = Pick<BatchBefore, 'blocksDone' | 'open'>

export function restOf(costs: readonly (readonly RowCost[])[], progress: Progress): Rest {
  const { blocksDone, open } = progress
  const left = costs.slice(blocksDone).flatMap((rows, i) => {
    const isPartial = i === 0 && open !== undefined
    return isPartial ? open.map((place) => rows[place] ?? null) : rows
  })
  const counted = left.filter((cost) => cost !== null)
  return {
    messages: counted.length,
    segments: counted.reduce((sum, { segments }) => sum + segments, 0),
    price: counted.reduce((sum, { price }) => sum + price, 0),
  }
}

/** Whichever got further. */
export function furthest(one: Progress | null, other: Progress | null): Progress {
  if (!one || !other) return one ?? other ?? { blocksDone: 0 }
  return other.blocksDone > one.blocksDone ? other : one
}
