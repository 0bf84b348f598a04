// The states of a message. NEXT is the only table of moves. The statements of move-queries.ts take their previous
// states from it, so the database refuses exactly what this file refuses.

export const STATUSES = [
  'CREATED',
  'SCHEDULED',
  'QUEUED',
  'SENT',
  'DELIVERED',
  'READ',
  'FAILED',
  'EXPIRED',
] as const

export type Status = (typeof STATUSES)[number]

export const NEXT: Record<Status, readonly Status[]> = {
  CREATED: ['SCHEDULED', 'QUEUED'],
  SCHEDULED: ['QUEUED', 'FAILED'],
  // A receipt can overtake our own record of the submit, hence QUEUED to DELIVERED and READ.
  QUEUED: ['SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  READ: [],
  FAILED: [],
  EXPIRED: [],
}

export const MOVES: readonly (readonly [source: Status, target: Status])[] = STATUSES.flatMap(
  (source) => NEXT[source].map((target) => [source, target] as const),
)

export function canMove(source: Status, target: Status): boolean {
  return NEXT[source].includes(target)
}
