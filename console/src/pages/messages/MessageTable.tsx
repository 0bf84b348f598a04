// The rows: on a wide screen a table, on a phone two lines each. The row that is open stays marked.

import { Link } from '@tanstack/react-router'
import type { Message } from '../../../generated/types.gen'
import { formatMoney } from '../../lib/format'
import { Badge } from '../../ui/Badge'
import { Phone } from '../../ui/Copy'
import { messageState } from '../../ui/states'
import { Time } from '../../ui/Time'

interface TableProps {
  messages: readonly Message[]
  openId: string | null
  isStale: boolean
}

export function MessageTable({ messages, openId, isStale }: TableProps) {
  return (
    <div className={isStale ? 'opacity-50' : ''}>
      <table className="hidden w-full table-fixed border-collapse md:table">
        <thead>
          <tr className="bg-sunken text-left text-xs text-ink-2">
            <th className="w-36 px-3 py-2 font-medium">Status</th>
            <th className="w-38 px-3 py-2 font-medium">With</th>
            <th className="px-3 py-2 font-medium">Text</th>
            <th className="w-14 px-3 py-2 text-right font-medium">Seg</th>
            <th className="w-22 px-3 py-2 text-right font-medium">Price</th>
            <th className="w-30 px-3 py-2 text-right font-medium">When</th>
          </tr>
        </thead>
        <tbody>
          {messages.map((message) => (
            <Row key={message.id} message={message} isOpen={message.id === openId} />
          ))}
        </tbody>
      </table>
      <ul className="md:hidden">
        {messages.map((message) => (
          <li key={message.id} className="border-b border-line last:border-0">
            <ShortRow message={message} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function otherOf({ direction, from, to }: Message): string {
  return direction === 'INBOUND' ? from : to
}

function priceWords({ price, direction }: Message): string {
  return price === 0 ? (direction === 'INBOUND' ? 'free' : '–') : formatMoney(price, 4)
}

function Row({ message, isOpen }: { message: Message; isOpen: boolean }) {
  return (
    <tr
      className={`relative h-10 border-b border-line last:border-0 hover:bg-hover ${isOpen ? 'bg-accent-soft' : ''}`}
    >
      <td className="px-3">
        <Link
          from="/messages"
          search={(now) => ({ ...now, open: message.id })}
          aria-current={isOpen ? 'true' : undefined}
          className="after:absolute after:inset-0"
        >
          <Badge state={messageState(message)} />
        </Link>
      </td>
      <td className="px-3">
        <Phone phone={otherOf(message)} />
      </td>
      <td className="truncate px-3 text-ink-2" dir="auto">
        {message.direction === 'INBOUND' ? '← ' : '→ '}
        {message.body}
      </td>
      <td className="px-3 text-right">{message.numSegments}</td>
      <td className="px-3 text-right">{priceWords(message)}</td>
      <td className="px-3 text-right text-ink-2">
        <Time at={message.createdAt} />
      </td>
    </tr>
  )
}

function ShortRow({ message }: { message: Message }) {
  return (
    <Link
      to="/messages/$id"
      params={{ id: message.id }}
      className="flex min-h-14 flex-col justify-center gap-0.5 px-3 py-2"
    >
      <span className="flex items-center gap-2">
        <Badge state={messageState(message)} />
        <Phone phone={otherOf(message)} />
        <span className="ml-auto text-sm text-ink-2">
          <Time at={message.createdAt} />
        </span>
      </span>
      <span className="truncate text-ink-2" dir="auto">
        {message.body}
      </span>
    </Link>
  )
}
