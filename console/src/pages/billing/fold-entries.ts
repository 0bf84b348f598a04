// Messages that were accepted together are charged together: one row that expands to its entries.

import type { LedgerEntry } from '../../../generated/types.gen'

export interface LedgerRow {
  id: string
  /** Newest first. One if nothing is folded. */
  entries: readonly LedgerEntry[]
  /** Dollars. */
  amount: number
  balanceAfter: number
  isFolded: boolean
  /** An entry of an expanded row. */
  isInside: boolean
}

const FOLDED = new Set(['message', 'message_refund'])

/** Ledger rows, newest first. Expanded ones are followed by their entries. */
export function foldEntries(
  entries: readonly LedgerEntry[],
  openIds: ReadonlySet<string>,
): LedgerRow[] {
  return groupsOf(entries).flatMap((group) => {
    const row = rowOf(group, false)
    const isOpen = row.isFolded && openIds.has(row.id)
    return isOpen ? [row, ...group.map((entry) => rowOf([entry], true))] : [row]
  })
}

function groupsOf(entries: readonly LedgerEntry[]): LedgerEntry[][] {
  const groups: LedgerEntry[][] = []
  for (const entry of entries) {
    const group = groups.at(-1)
    if (group && belongs(entry, group[0]!)) group.push(entry)
    else groups.push([entry])
  }
  return groups
}

function belongs(entry: LedgerEntry, first: LedgerEntry): boolean {
  return (
    FOLDED.has(entry.reason) &&
    entry.reason === first.reason &&
    entry.campaignId === first.campaignId &&
    entry.createdAt === first.createdAt
  )
}

function rowOf(entries: readonly LedgerEntry[], isInside: boolean): LedgerRow {
  const [newest] = entries
  const isFolded = entries.length > 1
  const micros = entries.reduce((sum, { amount }) => sum + Math.round(amount * 1_000_000), 0)
  return {
    // A row and its first entry are two rows.
    id: isFolded ? `${newest!.id}+` : newest!.id,
    entries,
    amount: micros / 1_000_000,
    balanceAfter: newest!.balanceAfter,
    isFolded,
    isInside,
  }
}
