// A list on a page: its filters, and a card with the rows, or with the reason why there are none. It loads more on
// demand.

import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
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
  /** Loads more when someone scrolls near the end. */
  isEndless?: boolean
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
      {hasNextPage ? <More list={list} count={rows.length} {...props} /> : null}
    </>
  )
}

/** Pages without a match that are loaded automatically. After that, someone must want to continue. */
const EMPTY_PAGES_MAX = 10

interface MoreProps {
  list: Listing
  count: number
  moreLabel?: string
  isEndless?: boolean
}

function More({ list, count, moreLabel = 'Show older', isEndless }: MoreProps) {
  const end = useRef<HTMLDivElement>(null)
  const isNear = useNearEnd(end)
  const empty = useRef({ count, pages: 0 })
  const { isFetchingNextPage = false, isFetchNextPageError, fetchNextPage } = list
  const isDue = isEndless && isNear && !isFetchingNextPage && !isFetchNextPageError
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when a page has arrived or the end comes near
  useEffect(() => {
    if (!isDue) return
    const pages = empty.current.count === count ? empty.current.pages + 1 : 0
    empty.current = { count, pages }
    if (pages <= EMPTY_PAGES_MAX) void fetchNextPage?.()
  }, [isDue, count])
  return (
    <div ref={end} className="flex justify-center border-t border-line p-3">
      <Button onClick={() => void fetchNextPage?.()} busy={isFetchingNextPage ? 'Loading…' : false}>
        {moreLabel}
      </Button>
    </div>
  )
}

/** Whether the element is on the screen, or will be after a little scrolling. */
function useNearEnd(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '600px' },
    )
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isNear
}

function Loading(placeholder: { rows: number; height?: number }) {
  return (
    <div className="px-3">
      <Skeleton {...placeholder} />
    </div>
  )
}
