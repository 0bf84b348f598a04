// The filters of the brand and campaign lists: status and search text. Both are extensions, and both narrow the list
// before it is paged, so a client never reads records only to drop them.

import { Type } from 'typebox'
import { OptionalText } from './schema.js'

/** Every status, including drafts, which lists leave out by default. */
export const ALL = 'ALL'
const SEARCH_LENGTH_MAX = 100

export function listFilter<S extends string>(statuses: readonly S[], searched: string) {
  return {
    status: Type.Optional(
      Type.Enum([...statuses, ALL] as (S | typeof ALL)[], {
        description: 'ALL: every status, including drafts. Extension (not in the contract)',
      }),
    ),
    search: OptionalText(SEARCH_LENGTH_MAX, {
      description: `${searched}. Extension (not in the contract)`,
      'x-also': ['q', 'query'],
    }),
  }
}

/** Blank search text matches everything. */
export function listFilterOf<S>({ status, search }: { status?: S; search?: string }): {
  status: S | null
  search: string | null
} {
  return { status: status ?? null, search: search?.trim() || null }
}
