// A list on a page: its filters, and a card with the rows, or with the reason why there are none. It loads more on
// demand.

import type { ReactNode } from 'react'
import { ErrorNotice } from '../feedback/Notice'
import { Button } from '../inputs/Button'
import { Skeleton } from '../layout/Page'

/** What a list needs to know about its query, which may have pages. */
interface Listing {
  error: Error | null
  refetch: () => unknown
  /** The rows belong to the previous filter: dimmed until the new ones arrive. */
  isPlaceholderData?: boolean
  hasNextPage?: boolean
  isFetchingNextPage?: boolean
  isFetchNextPageError?: boolean
  fetchNextPage?: () => unknown
}

interface ListProps<Row> {
  list: Listing
  /** Undefined until they are loaded. */
  rows: readonly Row[] | undefined
  empty: ReactNode
  /** Placeholder rows while loading. */
  loading?: { rows: number; height?: number }
  moreLabel?: string
  children: (rows: readonly Row[]) => ReactNode
}

interface ListCardProps<Row> extends ListProps<Row> {
  title?: string
  /** Above the card, or below its title. */
  filters?: ReactNode
}

export function ListCard<Row>({ title, filters, ...list }: ListCardProps<Row>) {
  return (
    <>
      {title ? null : filters}
      <section className="overflow-clip rounded-lg border border-line bg-surface">
        {title ? (
          <>
            <h2 className="px-4 pt-4 text-lg font-semibold">{title}</h2>
            {filters}
          </>
        ) : null}
        <ListRows {...list} />
      </section>
    </>
  )
}

/** The list without a card around it. */
export function ListRows<Row>({ list, rows, children, ...props }: ListProps<Row>) {
  const { error, refetch, hasNextPage, fetchNextPage, isFetchNextPageError, isPlaceholderData } =
    list
  const isLoading = rows === undefined || (rows.length === 0 && isPlaceholderData)
  const notice = error ? (
    <div className="p-4">
      <ErrorNotice
        error={error}
        onRetry={() => void (isFetchNextPageError ? fetchNextPage?.() : refetch())}
      />
    </div>
  ) : null
  if (isLoading) return notice ?? <Loading {...(props.loading ?? { rows: 6 })} />
  return (
    <>
      {isFetchNextPageError ? null : notice}
      {rows.length === 0 && !hasNextPage ? (
        props.empty
      ) : (
        <div className={isPlaceholderData ? 'opacity-50' : ''}>{children(rows)}</div>
      )}
      {isFetchNextPageError ? notice : null}
      {hasNextPage ? (
        <div className="flex justify-center border-t border-line p-3">
          <Button
            onClick={() => void fetchNextPage?.()}
            busy={list.isFetchingNextPage ? 'Loading…' : false}
          >
            {props.moreLabel ?? 'Show older'}
          </Button>
        </div>
      ) : null}
    </>
  )
}

function Loading(placeholder: { rows: number; height?: number }) {
  return (
    <div className="px-3">
      <Skeleton {...placeholder} />
    </div>
  )
}
