// The account: its name and id, the scopes of this session, retention, the low-balance alert, and quotas.

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { GetAccountReply } from '../../../generated/types.gen'
import { accountQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { plural } from '../../lib/format'
import { CARRIER_WORDS } from '../../lib/sandbox'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Time } from '../../ui/display/Time'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Id } from '../../ui/inputs/Copy'
import { Card, Skeleton } from '../../ui/layout/Page'
import { LowMark } from '../billing/LowMark'
import { QuotaCard } from './QuotaCard'
import { SettingsPage } from './SettingsPage'

export function AccountSettings() {
  const { data, error, refetch } = useQuery(accountQuery)
  return (
    <SettingsPage
      title="account"
      actions={<ApiRequestButton request={{ method: 'GET', path: '/v1/account' }} />}
    >
      <Card className="max-w-180">
        {data ? (
          <Facts reply={data} />
        ) : error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton rows={8} />
        )}
      </Card>
      <QuotaCard />
    </SettingsPage>
  )
}

function Facts({ reply: { account, scopes } }: { reply: GetAccountReply }) {
  const { mode, carrier } = useSession()
  return (
    <dl className="flex flex-col">
      <Fact name="Name">
        <span className="wrap-anywhere" dir="auto">
          {account.name}
        </span>
      </Fact>
      <Fact name="Account ID">
        <Id id={account.id} />
      </Fact>
      <Fact name="Mode">
        {mode === 'sandbox' ? `Sandbox: ${CARRIER_WORDS[carrier]}` : 'Production'}
      </Fact>
      <Fact name="Created">
        <Time at={account.createdAt} />
      </Fact>
      <Fact name="Session scopes" help="The scopes of the token you signed in with.">
        {scopes.join(', ')}
      </Fact>
      <Fact name="Message texts" help="Set by your operator.">
        {describeRetention(account.messageRetentionDays)}
      </Fact>
      <Fact name="Inbound media" help="Set by your operator.">
        {describeRetention(account.mediaRetentionDays)}
      </Fact>
      <Fact name="Message records" help="Set by your operator. Charges are always kept.">
        {describeRetention(account.recordRetentionDays)}
      </Fact>
      <Fact
        name="Low-balance alert"
        help="Below this balance, the console shows a warning and you get a balance event."
      >
        <LowMark mark={account.lowBalanceThreshold} />
      </Fact>
    </dl>
  )
}

function describeRetention(days: number | null): string {
  return days === null ? 'Kept' : `Deleted after ${plural(days, 'day')}`
}

interface FactProps {
  name: string
  help?: string
  children: ReactNode
}

function Fact({ name, help, children }: FactProps) {
  return (
    <div className="grid gap-x-6 gap-y-0.5 border-t border-line py-2.5 first:border-0 sm:grid-cols-[12rem_minmax(0,1fr)]">
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0">
        {children}
        {help ? <span className="block text-sm text-ink-2">{help}</span> : null}
      </dd>
    </div>
  )
}
