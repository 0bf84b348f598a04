// One conversation in the list: who, what they wrote last, and what the team does about it.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban, Check, User } from 'lucide-react'
import { threadQuery } from '../../../api/talk-queries'
import { formatPhone } from '../../../lib/format'
import { useCampaignNames } from '../../../lib/use-campaign-names'
import { Time } from '../../../ui/display/Time'
import { useConversation, useMe, useTeam } from '../use-conversation'
import type { Row } from './use-rows'

export function RowLink({ row, isOpen }: { row: Row; isOpen: boolean }) {
  return isOpen ? <OpenRow row={row} /> : <RowView row={row} />
}

/** The open one follows its thread: it may have left the view. */
function OpenRow({ row }: { row: Row }) {
  const { state, contact } = useConversation(row)
  const { data } = useInfiniteQuery(threadQuery(row.campaignId, row.phone))
  const newest = data?.pages[0]?.messages[0] ?? row.lastMessage
  const name = contact?.name ?? row.name
  return <RowView row={{ ...row, name, state: state ?? row.state, lastMessage: newest }} />
}

function RowView({ row }: { row: Row }) {
  const { campaignId, phone, name, lastMessage, state } = row
  const isUnread = state?.unread ?? false
  return (
    <Link
      to="/conversations/$campaignId/$digits"
      params={{ campaignId, digits: phone.replace(/\D/g, '') }}
      search={(now) => now}
      data-campaign={campaignId}
      data-phone={phone}
      className="relative flex min-h-14 flex-col gap-0.5 py-2 pr-3 pl-6 -outline-offset-2 hover:bg-hover aria-[current=page]:bg-accent-soft"
    >
      {isUnread ? (
        <span className="absolute top-4 left-2.5 size-2 rounded-full bg-accent">
          <span className="sr-only">Unread</span>
        </span>
      ) : null}
      <span className="flex items-baseline gap-2">
        <span className={`min-w-0 truncate ${isUnread ? 'font-semibold' : 'font-medium'}`}>
          <span dir="auto">{name ?? formatPhone(phone)}</span>
        </span>
        {lastMessage ? (
          <span className="ml-auto shrink-0 text-xs text-ink-2">
            <Time at={lastMessage.createdAt} />
          </span>
        ) : null}
      </span>
      <span className={`flex gap-1 text-sm ${isUnread ? 'text-ink' : 'text-ink-2'}`}>
        {lastMessage?.direction === 'OUTBOUND' ? <span className="shrink-0">You:</span> : null}
        <span className="min-w-0 truncate" dir="auto">
          {textOf(lastMessage)}
        </span>
      </span>
      <Marks row={row} />
    </Link>
  )
}

function textOf(message: Row['lastMessage']): string {
  if (!message) return 'Message deleted'
  return message.body.slice(0, 120) || (message.mediaUrls.length > 0 ? 'Media' : 'No text')
}

function Marks({ row: { campaignId, isOptedOut, state } }: { row: Row }) {
  const { nameOf, options } = useCampaignNames()
  const { nameOf: personOf } = useTeam()
  const me = useMe()
  const assignee = state?.assignee
  return (
    <span className="flex min-w-0 items-center gap-x-2 text-xs text-ink-2 empty:hidden">
      {isOptedOut ? (
        <span className="inline-flex shrink-0 items-center gap-1 text-bad-ink">
          <Ban size={12} aria-hidden="true" />
          Opted out
        </span>
      ) : null}
      {state?.status === 'CLOSED' ? (
        <span className="inline-flex shrink-0 items-center gap-1">
          <Check size={12} aria-hidden="true" />
          Closed
        </span>
      ) : null}
      {assignee ? (
        <span className="inline-flex max-w-1/2 min-w-0 items-center gap-1">
          <User size={12} aria-hidden="true" className="shrink-0" />
          <span className="truncate">{assignee === me?.id ? 'Me' : personOf(assignee)}</span>
        </span>
      ) : null}
      {options.length > 1 ? (
        <span className="min-w-0 truncate" title={nameOf(campaignId)}>
          {nameOf(campaignId)}
        </span>
      ) : null}
    </span>
  )
}
