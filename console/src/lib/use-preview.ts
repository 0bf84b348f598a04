// Segments and price of a text while it is typed: requested 150 ms after the last key. Late answers are dropped,
// and the last one stays until a newer one arrives.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { previewQuery } from '../api/queries'
import { BODY_MAX, countCharacters, isBlank, type Preview } from './text-meter'
import { useSettled } from './use-settled'

const DEBOUNCE_MS = 150

export interface Counted {
  /** The latest count. Null if nothing is written. */
  preview: Preview | null
  /** The count is not yet that of the current text. */
  isCounting: boolean
  error: unknown
}

interface With {
  media?: readonly string[]
}

export function usePreview(body: string, { media = [] }: With = {}): Counted {
  const settled = useSettled(body, DEBOUNCE_MS)
  const isCountable = !isBlank(settled) && countCharacters(settled) <= BODY_MAX
  const { data, error, isPlaceholderData, isFetching } = useQuery({
    ...previewQuery(settled, media),
    enabled: isCountable,
    placeholderData: keepPreviousData,
  })
  if (isBlank(body)) return { preview: null, isCounting: false, error: null }
  const isCounting = settled !== body || (isCountable && (isPlaceholderData || isFetching))
  return { preview: data ?? null, isCounting, error: isCountable ? error : null }
}
