// The head of an open conversation: who it is with, who takes care of it, and whether it is closed.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, Info, Mail, RotateCcw, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { campaignsQuery } from '../../api/queries'
import { personQuery } from '../../api/talk-queries'
import { formatPhone } from '../../lib/format'
import { useCampaignNames } from '../../lib/use-campaign-names'
import { Dialog } from '../../ui/feedback/Dialog'
import { Button } from '../../ui/inputs/Button'
import { CopyButton } from '../../ui/inputs/Copy'
import { Select } from '../../ui/inputs/Field'
import { Menu, type MenuItem } from '../../ui/inputs/Menu'
import { Assignee } from './Assignee'
import { Facts } from './Facts'
import {
  changeConversation,
  type ThreadKey,
  useConversation,
  useMaySend,
  useMe,
  useTitle,
} from './use-conversation'

export function Head(key: ThreadKey) {
  const { phone } = key
  const title = useTitle(key)
  const [isShown, setShown] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
      <div className="min-w-0 flex-1 basis-48">
        <h2 className="truncate text-lg font-semibold max-md:sr-only" dir="auto">
          {title}
        </h2>
        <div className="flex min-w-0 items-center gap-1 text-sm text-ink-2">
          {title === formatPhone(phone) ? null : (
            <span className="whitespace-nowrap">
              {formatPhone(phone)}
              <span className="md:hidden"> ·</span>
            </span>
          )}
          <span className="max-md:hidden">
            <CopyButton text={phone} label={formatPhone(phone)} />
          </span>
          <CampaignChoice {...key} />
        </div>
      </div>
      <div className="flex items-center gap-2 max-md:w-full">
        <Actions {...key} />
        <span className="max-md:ml-auto lg:hidden">
          <Button look="quiet" onClick={() => setShown(true)} aria-label="Details" title="Details">
            <Info size={16} aria-hidden="true" />
          </Button>
        </span>
      </div>
      {isShown ? (
        <Dialog title={title} onClose={() => setShown(false)}>
          <Facts {...key} />
        </Dialog>
      ) : null}
    </div>
  )
}

function Actions(key: ThreadKey) {
  const { state } = useConversation(key)
  const maySend = useMaySend()
  const me = useMe()
  const navigate = useNavigate()
  if (!state) return null
  const isClosed = state.status === 'CLOSED'
  const markUnread = async () => {
    // First: the open thread would be marked as read again.
    await navigate({ to: '/conversations', search: (now) => now })
    await changeConversation(key, { unread: true })
  }
  const items: MenuItem[] = [
    ...(me && state.assignee !== me.id
      ? [
          {
            label: 'Assign to me',
            icon: UserPlus,
            shortcut: 'A',
            onSelect: () => void changeConversation(key, { assignee: me.id }),
          },
        ]
      : []),
    { label: 'Mark as unread', icon: Mail, onSelect: () => void markUnread() },
  ]
  return (
    <>
      <Assignee conversation={key} assignee={state.assignee} />
      {maySend ? (
        <>
          <Button
            title={isClosed ? 'Reopen (E)' : 'Close (E)'}
            onClick={() => void changeConversation(key, { status: isClosed ? 'OPEN' : 'CLOSED' })}
          >
            {isClosed ? (
              <RotateCcw size={16} aria-hidden="true" />
            ) : (
              <Check size={16} aria-hidden="true" />
            )}
            {isClosed ? 'Reopen' : 'Close'}
          </Button>
          <Menu label="More actions" items={items} />
        </>
      ) : isClosed ? (
        <span className="text-sm text-ink-2">Closed</span>
      ) : null}
    </>
  )
}

/** The same person can be in several campaigns. Each is a separate conversation. */
function CampaignChoice({ campaignId, phone }: ThreadKey) {
  const navigate = useNavigate({ from: '/conversations/$campaignId/$digits' })
  const { data: listed } = useQuery(campaignsQuery)
  const { data: person } = useQuery(personQuery(phone))
  const { nameOf } = useCampaignNames()
  const ids = new Set([
    campaignId,
    ...(person?.conversations ?? [])
      .filter(({ recipient }) => recipient === phone)
      .map((conversation) => conversation.campaignId),
  ])
  if (!listed) return null
  if (ids.size === 1) {
    return (
      <span className="min-w-0 truncate" title={nameOf(campaignId)}>
        {nameOf(campaignId)}
      </span>
    )
  }
  return (
    <Select
      aria-label="Campaign"
      className="max-w-56"
      value={campaignId}
      options={[...ids].map((id) => ({ value: id, label: nameOf(id) }))}
      onChange={(event) =>
        void navigate({
          to: '.',
          params: (now) => ({ ...now, campaignId: event.target.value }),
          search: (now) => now,
        })
      }
    />
  )
}
