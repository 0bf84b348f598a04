// The rows of the message list: status, phone number, and text.

import type { Message } from '../../../generated/types.gen'
import { describePrice } from '../../lib/describe-price'
import { useRoomForPanel } from '../../lib/use-wide'
import { Badge } from '../../ui/display/Badge'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { messageState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { Phone } from '../../ui/inputs/Copy'

interface TableProps {
  messages: readonly Message[]
  openId: string | null
  /** Newer messages arrived while the list was open. */
  first: string
}

/** A row shows one line, so the rest of a long text would only cost rendering time. */
const SHOWN_MAX = 200

const COLUMNS: readonly Column<Message>[] = [
  {
    name: 'status',
    head: 'Status',
    className: 'w-36',
    cell: (message) => <Badge state={messageState(message)} />,
  },
  {
    name: 'phone',
    head: 'Phone',
    className: 'w-38',
    cell: (message) => <Phone phone={otherOf(message)} />,
  },
  { name: 'text', head: 'Text', cell: (message) => <MessageText message={message} /> },
  {
    name: 'segments',
    head: 'Seg.',
    align: 'right',
    className: 'w-14',
    cell: (message) => message.numSegments,
  },
  {
    name: 'price',
    head: 'Price',
    align: 'right',
    className: 'w-22',
    cell: (message) => describePrice(message, 4),
  },
  {
    name: 'when',
    head: 'Date',
    align: 'right',
    className: 'w-32',
    cell: (message) => (
      <span className="text-ink-2">
        <Time at={message.scheduledAt ?? message.createdAt} />
      </span>
    ),
  },
]

/** Next to an open panel, only the columns that tell messages apart fit. */
const FEW = COLUMNS.filter(({ name }) => name !== 'segments' && name !== 'price')

export function MessageTable({ messages, openId, first }: TableProps) {
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
    />
  )
}

function otherOf({ direction, from, to }: Message): string {
  return direction === 'INBOUND' ? from : to
}

/** The arrow stays on the left for right-to-left texts. */
function MessageText({ message }: { message: Message }) {
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
