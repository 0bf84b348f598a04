// Access tokens: what can use this account, until when, and when each was last used.

import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Token } from '../../../generated/types.gen'
import { tokensQuery } from '../../api/account-queries'
import { accountQuery } from '../../api/queries'
import { request } from '../../api/request'
import { useServiceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { type Column, DataTable } from '../../ui/display/DataTable'
import { ListCard } from '../../ui/display/ListCard'
import { tokenState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { Confirm } from '../../ui/feedback/Dialog'
import { ShownOnce } from '../../ui/feedback/ShownOnce'
import { toast } from '../../ui/feedback/Toast'
import { Button } from '../../ui/inputs/Button'
import { Menu } from '../../ui/inputs/Menu'
import { Empty } from '../../ui/layout/Page'
import { NewToken } from './NewToken'
import { SettingsPage } from './SettingsPage'
import { TwilioAccess } from './TwilioAccess'

export function TokenSettings() {
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<{ name: string; text: string } | null>(null)
  return (
    <SettingsPage
      title="tokens"
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path: '/v1/token/list' }} />
          <Button look="filled" onClick={() => setMaking(true)}>
            Create token
          </Button>
        </>
      }
    >
      <List />
      <p className="mt-3 max-w-180 text-sm text-ink-2">
        Create one token per program, with only the scopes it needs. A revoked token is refused
        within five seconds and no longer listed.
      </p>
      <TwilioAccess />
      {isMaking ? (
        <NewToken
          onClose={() => setMaking(false)}
          onMade={(name, text) => {
            setMaking(false)
            setMade({ name, text })
          }}
        />
      ) : null}
      {made ? (
        <ShownOnce
          title={made.name ? `Token “${made.name}” created` : 'Token created'}
          help="Store it with your program’s secrets."
          value={made.text}
          onClose={() => setMade(null)}
        />
      ) : null}
    </SettingsPage>
  )
}

function List() {
  const list = useQuery(tokensQuery)
  const ownId = useQuery(accountQuery).data?.tokenId ?? null
  const now = useServiceNow()
  const [confirming, setConfirming] = useState<Token | null>(null)
  return (
    <>
      <ListCard
        list={list}
        rows={list.data?.tokens}
        loading={{ rows: 4 }}
        empty={<Empty title="No tokens yet" />}
      >
        {(tokens) => (
          <DataTable
            label="Access tokens"
            rows={tokens}
            rowKey={({ id }) => id}
            columns={columnsOf(ownId, now, setConfirming)}
            short={(token) => (
              <Short token={token} ownId={ownId} now={now} onRevoke={setConfirming} />
            )}
          />
        )}
      </ListCard>
      {confirming ? (
        <Revoke
          token={confirming}
          isOwn={confirming.id === ownId}
          isLast={list.data?.tokens.length === 1}
          onClose={() => setConfirming(null)}
        />
      ) : null}
    </>
  )
}

function columnsOf(
  ownId: string | null,
  now: Date,
  onRevoke: (token: Token) => void,
): readonly Column<Token>[] {
  return [
    {
      name: 'name',
      head: 'Name',
      isText: true,
      cell: (token) => <Name token={token} isOwn={token.id === ownId} />,
    },
    {
      name: 'state',
      head: 'Status',
      className: 'w-44',
      cell: (token) => <Badge state={tokenState(token, now)} />,
    },
    { name: 'scopes', head: 'Scopes', className: 'w-56', cell: ({ scopes }) => scopes.join(', ') },
    {
      name: 'used',
      head: 'Last used',
      className: 'w-32',
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <Time at={lastUsedAt} /> : <span className="text-ink-3">Never</span>,
    },
    {
      name: 'created',
      head: 'Created',
      className: 'w-32',
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    {
      name: 'acts',
      head: <span className="sr-only">Actions</span>,
      className: 'w-14',
      cell: (token) => <Acts token={token} onRevoke={onRevoke} />,
    },
  ]
}

function nameOf({ name, id }: Token): string {
  return name || `Token …${id.slice(-4)}`
}

function Name({ token, isOwn }: { token: Token; isOwn: boolean }) {
  return (
    <>
      <span className="font-medium" title={token.id}>
        {nameOf(token)}
      </span>
      {isOwn ? <span className="text-ink-2"> · this session</span> : null}
    </>
  )
}

function Acts({ token, onRevoke }: { token: Token; onRevoke: (token: Token) => void }) {
  const items = [
    { label: 'Revoke…', icon: Trash2, isDanger: true, onSelect: () => onRevoke(token) },
  ]
  return <Menu label={`Actions for ${nameOf(token)}`} items={items} />
}

interface ShortProps {
  token: Token
  ownId: string | null
  now: Date
  onRevoke: (token: Token) => void
}

function Short({ token, ownId, now, onRevoke }: ShortProps) {
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">
        <div className="truncate" dir="auto">
          <Name token={token} isOwn={token.id === ownId} />
        </div>
        <div className="truncate text-sm text-ink-2">{token.scopes.join(', ')}</div>
      </div>
      <Badge state={tokenState(token, now)} />
      <Acts token={token} onRevoke={onRevoke} />
    </div>
  )
}

interface RevokeProps {
  token: Token
  isOwn: boolean
  isLast: boolean
  onClose: () => void
}

function Revoke({ token, isOwn, isLast, onClose }: RevokeProps) {
  const revoke = useAct(
    (key) => request('DELETE /v1/token/{id}', { path: { id: token.id }, key }),
    {
      onDone: () => {
        toast(`${nameOf(token)} revoked`)
        onClose()
      },
    },
  )
  return (
    <Confirm
      title={`Revoke ${nameOf(token)}?`}
      consequence={
        <>
          <p>Requests that use it will be refused within five seconds. This cannot be undone.</p>
          {isOwn ? (
            <p className="mt-2 font-medium text-warn-ink">
              You are signed in with this token. Your session ends, and you must sign in with
              another token.
            </p>
          ) : null}
          {isLast ? (
            <p className="mt-2 font-medium text-warn-ink">
              It is the only token. Nothing can use this account until your operator creates
              another.
            </p>
          ) : null}
        </>
      }
      verb="Revoke token"
      isDanger
      busy={revoke.isBusy && 'Revoking…'}
      error={revoke.error}
      onConfirm={() => revoke.run()}
      onClose={onClose}
    />
  )
}
