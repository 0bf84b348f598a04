// The end of a paged list: loads the next page.

import { Button } from '../inputs/Button'

interface MoreRowsProps {
  hasMore: boolean
  isLoading: boolean
  onMore: (() => void) | undefined
  label?: string
}

export function MoreRows({ hasMore, isLoading, onMore, label = 'Show older' }: MoreRowsProps) {
  if (!hasMore) return null
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button onClick={onMore} busy={isLoading && 'Loading…'}>
        {label}
      </Button>
    </div>
  )
}
