// An empty view, and what to do about it.

import type { InboxView } from '../../../api/inbox-queries'
import { useSession } from '../../../api/session'
import { ButtonLink } from '../../../ui/inputs/Button'
import { Empty } from '../../../ui/layout/Page'

const EMPTY: Record<Exclude<InboxView, 'all'>, { title: string; text: string }> = {
  waiting: {
    title: 'Nobody is waiting',
    text: 'Everyone who replied has an answer. New replies appear here.',
  },
  unread: { title: 'Everything is read', text: 'New replies appear here.' },
  mine: {
    title: 'Nothing assigned to you',
    text: 'Open a conversation and press A to take care of it.',
  },
  closed: { title: 'No closed conversations', text: 'A new reply opens a conversation again.' },
}

export function Nothing({ view, isFiltered }: { view: InboxView; isFiltered: boolean }) {
  const { mode } = useSession()
  const all = (
    <ButtonLink to="/conversations" search={{ view: 'all' }}>
      Show all conversations
    </ButtonLink>
  )
  if (isFiltered) {
    return (
      <Empty
        title="No results"
        actions={
          <ButtonLink to="/conversations" search={view === 'waiting' ? {} : { view }}>
            Clear filters
          </ButtonLink>
        }
      >
        No conversations match these filters.
      </Empty>
    )
  }
  if (view !== 'all') {
    return (
      <Empty title={EMPTY[view].title} actions={all}>
        {EMPTY[view].text}
      </Empty>
    )
  }
  return (
    <Empty
      title="No conversations yet"
      actions={mode === 'sandbox' ? <ButtonLink to="/handset">Open handset</ButtonLink> : null}
    >
      A conversation starts when you send a message or someone texts one of your numbers.
    </Empty>
  )
}
