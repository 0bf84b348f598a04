// Rows of anything: a table on a wide screen, two lines per row on a phone. Above 200 rows, only visible ones are
// rendered. Below that, all are, so the browser's search finds them. j and k move, Enter opens, y copies the
// id.

import { Link, type LinkProps } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useKeys } from '../../lib/use-keys'
import { useWide } from '../../lib/use-wide'
import { copyText } from '../inputs/Copy'

export interface Column<Row> {
  name: string
  head: ReactNode
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** Its width, such as `w-36`. The column without one takes the rest. */
  className?: string
  /** Text that is truncated if too long, in its own direction. */
  isText?: boolean
}

interface DataTableProps<Row> {
  label: string
  rows: readonly Row[]
  rowKey: (row: Row) => string
  columns: readonly Column<Row>[]
  /** Where a row leads. The link is in its first cell and covers the row. */
  linkOf?: (row: Row) => LinkProps
  /** The same row in two lines, for phones. */
  short: (row: Row) => ReactNode
  /** Where it leads on a phone, if different. */
  shortLinkOf?: (row: Row) => LinkProps
  openId?: string | null
  /** It arrived while someone looked: highlighted briefly. */
  isFresh?: (row: Row) => boolean
}

const VIRTUAL_FROM = 200
const OVERSCAN = 8
const HEIGHTS = { table: 40, list: 61 }

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { rows, rowKey } = props
  const isWide = useWide()
  const place = useRef<HTMLDivElement>(null)
  const visible = useVisibleRows(rows.length, isWide ? HEIGHTS.table : HEIGHTS.list, place)
  useRowKeys(place, (index) => rowKey(rows[index]!), visible.scrollTo, rows.length)
  return (
    <div ref={place}>
      {isWide ? <Table {...props} visible={visible} /> : <List {...props} visible={visible} />}
    </div>
  )
}

interface Visible {
  indexes: readonly number[]
  /** The height of rows that are not rendered, before and after. */
  before: number
  after: number
  scrollTo: (index: number) => void
}

function useVisibleRows(
  count: number,
  height: number,
  place: React.RefObject<HTMLDivElement | null>,
): Visible {
  const isVirtual = count > VIRTUAL_FROM
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (!isVirtual || !place.current) return
    const now = Math.round(place.current.getBoundingClientRect().top + scrollY)
    if (now !== top) setTop(now) // content above it may have grown
  })
  const virtual = useWindowVirtualizer({
    count: isVirtual ? count : 0,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: top,
  })
  if (!isVirtual) {
    const indexes = Array.from({ length: count }, (_, i) => i)
    return { indexes, before: 0, after: 0, scrollTo: () => {} }
  }
  const items = virtual.getVirtualItems()
  return {
    indexes: items.map(({ index }) => index),
    before: (items[0]?.index ?? 0) * height,
    after: (count - 1 - (items.at(-1)?.index ?? -1)) * height,
    scrollTo: (index) => virtual.scrollToIndex(index),
  }
}

type PartProps<Row> = DataTableProps<Row> & { visible: Visible }

function Table<Row>(props: PartProps<Row>) {
  const { label, rows, rowKey, columns, linkOf, openId, isFresh, visible } = props
  return (
    <table
      aria-label={label}
      aria-rowcount={rows.length + 1}
      className="w-full table-fixed border-collapse"
    >
      <thead>
        <tr className="text-left text-xs text-ink-2">
          {columns.map(({ name, head, align, className = '' }) => (
            <th
              key={name}
              scope="col"
              className={`sticky top-(--strip,0px) z-[1] bg-sunken px-3 py-2 font-medium ${className} ${align === 'right' ? 'text-right' : ''}`}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Space height={visible.before} columns={columns.length} />
        {visible.indexes.map((index) => {
          const row = rows[index]!
          const isOpen = rowKey(row) === openId
          return (
            <tr
              key={rowKey(row)}
              aria-rowindex={index + 2}
              data-index={index}
              className={`relative h-10 border-b border-line last:border-0 hover:bg-hover ${isOpen ? 'bg-accent-soft' : ''} ${isFresh?.(row) ? 'animate-arrive' : ''}`}
            >
              {columns.map(({ name, cell, align, isText }, i) => (
                <td
                  key={name}
                  className={`px-3 ${align === 'right' ? 'text-right' : ''} ${isText ? 'truncate' : ''}`}
                  dir={isText ? 'auto' : undefined}
                >
                  {i === 0 && linkOf ? (
                    <RowLink link={linkOf(row)} isOpen={isOpen}>
                      {cell(row)}
                    </RowLink>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          )
        })}
        <Space height={visible.after} columns={columns.length} />
      </tbody>
    </table>
  )
}

function Space({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  )
}

function RowLink({
  link,
  isOpen,
  children,
}: {
  link: LinkProps
  isOpen: boolean
  children: ReactNode
}) {
  return (
    <Link
      {...link}
      data-row-link
      aria-current={isOpen ? 'true' : undefined}
      className="after:absolute after:inset-0"
    >
      {children}
    </Link>
  )
}

const SHORT = 'flex h-15 flex-col justify-center gap-0.5 px-3'

function List<Row>({ label, rows, rowKey, short, isFresh, visible, ...props }: PartProps<Row>) {
  const linkOf = props.shortLinkOf ?? props.linkOf
  return (
    <ul aria-label={label}>
      {visible.before > 0 ? <li aria-hidden="true" style={{ height: visible.before }} /> : null}
      {visible.indexes.map((index) => {
        const row = rows[index]!
        return (
          <li
            key={rowKey(row)}
            data-index={index}
            className={`relative border-b border-line last:border-0 ${isFresh?.(row) ? 'animate-arrive' : ''}`}
          >
            {linkOf ? (
              <Link {...linkOf(row)} data-row-link className={SHORT}>
                {short(row)}
              </Link>
            ) : (
              <div className={SHORT}>{short(row)}</div>
            )}
          </li>
        )
      })}
      {visible.after > 0 ? <li aria-hidden="true" style={{ height: visible.after }} /> : null}
    </ul>
  )
}

function useRowKeys(
  place: React.RefObject<HTMLDivElement | null>,
  idOf: (index: number) => string,
  scrollTo: (index: number) => void,
  count: number,
): void {
  const focused = (): number => {
    const row = document.activeElement?.closest('[data-index]')
    if (row && place.current?.contains(row)) return Number(row.getAttribute('data-index'))
    const open = place.current
      ?.querySelector('[data-row-link][aria-current]')
      ?.closest('[data-index]')
    return open ? Number(open.getAttribute('data-index')) : -1
  }
  const focus = (index: number): boolean => {
    const row = place.current?.querySelector(`[data-index="${index}"]`)
    const link = row?.querySelector<HTMLElement>('[data-row-link]')
    link?.focus()
    link?.scrollIntoView({ block: 'nearest' })
    return Boolean(link)
  }
  const move = (step: number) => (): void => {
    const index = Math.max(0, Math.min(count - 1, focused() + step))
    if (count === 0 || focus(index)) return
    scrollTo(index)
    requestAnimationFrame(() => requestAnimationFrame(() => focus(index)))
  }
  useKeys({
    j: move(1),
    k: move(-1),
    y: () => {
      const index = focused()
      if (index >= 0) void copyText(idOf(index))
    },
  })
}
