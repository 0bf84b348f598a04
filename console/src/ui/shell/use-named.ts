// Records that the service finds by what was typed into ⌘K, because there can be very many.

import { useQuery } from '@tanstack/react-query'
import { useSettled } from '../../lib/use-settled'
import { type Command, MOST_NAMES, SETTLED_MS } from './commands'

const LENGTH_MIN = 2

export interface NamedRecords<Row> {
  /** The start of the key of the query. */
  kind: readonly string[]
  read: (search: { text: string; limit: number }, signal: AbortSignal) => Promise<readonly Row[]>
  command: (row: Row) => Command
  enabled?: boolean
}

/** None while nothing, or too little, is typed. */
export function useNamed<Row>(text: string, records: NamedRecords<Row>): Command[] {
  const { kind, read, command, enabled = true } = records
  const settled = useSettled(text.trim(), SETTLED_MS)
  const isLong = settled.length >= LENGTH_MIN
  const { data } = useQuery({
    queryKey: [...kind, 'named', settled],
    queryFn: ({ signal }) => read({ text: settled, limit: MOST_NAMES }, signal),
    enabled: enabled && isLong,
    retry: false,
  })
  if (!isLong || text.trim() === '') return []
  return (data ?? []).map(command)
}
