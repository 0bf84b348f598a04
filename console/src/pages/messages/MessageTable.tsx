// The rows: what became of each message, with whom, and what it says.

import type { Message } from '../../../generated/types.gen'
import { formatMoney } from '../../lib/format'
import { useRoomForPanel } from '../../lib/use-wide'
import { Badge } from '../../ui/Badge'
import { Phone } from '../../ui/Copy'
import { type Column, DataTable } from '../../ui/DataTable'
import { messageState } from '../../ui/states'
import { Time } from '../../ui/Time'

interface TableProps {
  messages: readonly Message[]
  openId: string | null
  /** What is newer came while somebody looked. */
  first: string
  isStale: boolean
  hasMore: boolean
  isLoadingMore: boolean
  onMore: () => void
}

/** A row shows one line: of a long text, more would only be work for the browser. */
const SHOWN_MAX = 200

const COLUMNS: readonly Column<Message>[] = [
  {
    name: 'status',
    head: 'Status',
    className: 'w-36',
    cell: (message) => <Badge state={messageState(message)} />,
  },
  {
    name: 'with',
    head: 'With',
    className: 'w-38',
    cell: (message) => <Phone phone={otherOf(message)} />,
  },
  { name: 'text', head: 'Text', cell: (message) => <Said message={message} /> },
  {
    name: 'segments',
    head: 'Seg',
    align: 'right',
    className: 'w-14',
    cell: (message) => message.numSegments,
  },
  { name: 'price', head: 'Price', align: 'right', className: 'w-22', cell: describePrice },
  {
    name: 'when',
    head: 'When',
    align: 'right',
    className: 'w-32',
    cell: (message) => (
      <span className="text-ink-2">
        <Time at={message.scheduledAt ?? message.createdAt} />
      </span>
    ),
  },
]

/** Beside a panel there is room for what tells messages apart. */
const FEW = COLUMNS.filter(({ name }) => name !== 'segments' && name !== 'price')

export function MessageTable({ messages, openId, first, ...more }: TableProps) {
  const hasRoom = useRoomForPanel()
  const pageOf = ({ id }: Message) => ({ to: '/messages/$id', params: { id } }) as const
  const panelOf = ({ id }: Message) =>
    ({
      to: '/messages',
      search: (now: object) => ({ ...now, open: id }),
      resetScroll: false,
    }) as const
  return (
    <DataTable
      label="Messages"
      rows={messages}
      rowKey={({ id }) => id}
      columns={openId === null ? COLUMNS : FEW}
      linkOf={hasRoom ? panelOf : pageOf}
      shortLinkOf={pageOf}
      short={(message) => <Short message={message} />}
      openId={openId}
      isFresh={({ id }) => id > first}
      {...more}
    />
  )
}

function otherOf({ direction, from, to }: Message): string {
  return direction === 'INBOUND' ? from : to
}

function describePrice({ price, direction, errorCode }: Message): string {
  if (price > 0) return formatMoney(price, 4)
  return direction === 'INBOUND' || errorCode === null ? 'free' : 'returned'
}

/** The arrow stays on the left, whichever way the text runs. */
function Said({ message }: { message: Message }) {
  return (
    <span className="flex gap-1 text-ink-2">
      <span aria-hidden="true">{message.direction === 'INBOUND' ? '←' : '→'}</span>
      <span dir="auto" className="min-w-0 truncate">
        {message.body.slice(0, SHOWN_MAX)}
      </span>
    </span>
  )
}

function Short({ message }: { message: Message }) {
  return (
    <>
      <span className="flex items-center gap-2">
        <Badge state={messageState(message)} />
        <Phone phone={otherOf(message)} />
        <span className="ml-auto text-sm text-ink-2">
          <Time at={message.scheduledAt ?? message.createdAt} />
        </span>
      </span>
      <span className="truncate text-ink-2" dir="auto">
        {message.body.slice(0, SHOWN_MAX)}
      </span>
    </>
  )
}
