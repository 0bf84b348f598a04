// Messages: all of the account's, newest first and live, filtered by the URL, with the open one next to the list.
// What someone reads never moves: new rows wait behind a button.

import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { campaignsQuery, type MessageSearch, searchQueryOf } from '../api/queries'
import { useSession } from '../api/session'
import { useKeys } from '../lib/use-keys'
import { useRoomForPanel } from '../lib/use-wide'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { ListCard } from '../ui/display/ListCard'
import { Button, ButtonLink } from '../ui/inputs/Button'
import { Empty, Page } from '../ui/layout/Page'
import { LiveBadge } from '../ui/shell/LiveBadge'
import { describeFilter } from './messages/describe-filter'
import { ExportButton, Exports } from './messages/Exports'
import { Filters } from './messages/Filters'
import { MessageTable } from './messages/MessageTable'
import { NewRows } from './messages/NewRows'
import { Panel } from './messages/Panel'
import { useMessageRows, useScrolled } from './messages/use-message-rows'
import { Views } from './messages/Views'

export function Messages() {
  const { open = null, live, viewName: view, ...filter } = useSearch({ from: '/shell/messages' })
  const hasRoom = useRoomForPanel()
  const isScrolled = useScrolled()
  const list = useMessageRows(filter, live === 0 || isScrolled || open !== null)
  if (open !== null && !hasRoom)
    return <Navigate to="/messages/$id" params={{ id: open }} replace />
  return (
    <Page title="Messages" actions={<Actions filter={filter} live={live} view={view} />}>
      <Filters filter={filter} />
      <Exports />
      <NewRows waiting={list.waiting} isMore={list.hasGap} onShow={list.release} />
      <div className={open ? 'grid items-start gap-4 grid-cols-[minmax(0,1fr)_27.5rem]' : ''}>
        <ListCard
          list={list}
          rows={list.isLoaded ? list.rows : undefined}
          loading={{ rows: 12 }}
          isEndless
          empty={<Nothing filter={filter} />}
        >
          {(rows) => <MessageTable messages={rows} openId={open} first={list.first} />}
        </ListCard>
        {open ? <Panel id={open} rows={list.rows} /> : null}
      </div>
    </Page>
  )
}

interface ActionsProps {
  filter: MessageSearch
  live: 0 | undefined
  /** The name of the view that the URL shows. */
  view: string | undefined
}

function Actions({ filter, live, view }: ActionsProps) {
  const navigate = useNavigate({ from: '/messages' })
  const toggle = () =>
    void navigate({
      search: ({ live: now, ...rest }) => (now === 0 ? rest : { ...rest, live: 0 as const }),
      replace: true,
      resetScroll: false,
    })
  useKeys({ l: toggle })
  return (
    <>
      <Button
        look="quiet"
        onClick={toggle}
        aria-pressed={live !== 0}
        title="Turn live updates on or off (l)"
      >
        {live === 0 ? (
          <span className="inline-flex items-center gap-1.5 text-xs text-ink-2">
            <span className="size-2 rounded-full border border-line-strong" aria-hidden="true" />
            Paused
          </span>
        ) : (
          <LiveBadge />
        )}
      </Button>
      <Views filter={filter} view={view} />
      <ExportButton filter={filter} view={view} />
      <ApiRequestButton
        request={{ method: 'GET', path: '/v1/message/search', query: searchQueryOf(filter) }}
      />
      <span className="max-md:hidden">
        <ButtonLink look="filled" to="/send">
          Send message
        </ButtonLink>
      </span>
    </>
  )
}

function Nothing({ filter }: { filter: MessageSearch }) {
  const { mode } = useSession()
  const { data } = useQuery(campaignsQuery)
  const words = describeFilter(filter, data?.campaigns ?? [])
  if (words.length > 0) {
    return (
      <Empty
        title="No results"
        actions={
          <>
            <ButtonLink to="/messages" search={{}}>
              Clear filters
            </ButtonLink>
            {filter.time && filter.time !== '30d' ? (
              <ButtonLink to="/messages" search={{ ...filter, time: '30d' }}>
                Search the last 30 days
              </ButtonLink>
            ) : null}
          </>
        }
      >
        No messages match:{' '}
        <span className="wrap-anywhere">{words.map(({ text }) => text).join(', ')}.</span>
      </Empty>
    )
  }
  return (
    <Empty
      title="No messages yet"
      actions={
        mode === 'sandbox' ? <ButtonLink to="/start">Send your first text</ButtonLink> : null
      }
    >
      Send a message here or with <code className="font-mono">POST /v1/message/send</code>. Messages
      appear automatically.
    </Empty>
  )
}
