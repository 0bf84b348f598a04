// One account as the operator manages it: balance, brands and campaigns, tokens, prices, retention, status.

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { OperatedAccount } from '../../../generated/types.gen'
import { operatedAccountQuery } from '../../api/operator-queries'
import { formatMoney } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { accountState } from '../../ui/display/operator-states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { ButtonLink } from '../../ui/inputs/Button'
import { Id } from '../../ui/inputs/Copy'
import { Card, Page, Skeleton } from '../../ui/layout/Page'
import { AccountChanges } from './accounts/AccountChanges'
import { AccountRecords } from './accounts/AccountRecords'
import { AccountState } from './accounts/AccountState'
import { AccountTokens } from './accounts/AccountTokens'
import { BrandingCard } from './accounts/BrandingForm'
import { MoneyForm } from './accounts/MoneyForm'
import { PriceCard } from './accounts/PriceCard'
import { QuotaForm } from './accounts/QuotaForm'

export function AccountPage() {
  const { id } = useParams({ from: '/operator/accounts/$id' })
  const { data, error, refetch } = useQuery(operatedAccountQuery(id))
  const account = data?.account
  return (
    <Page
      title={account?.name ?? 'Account'}
      meta={account ? <Badge state={accountState(account)} /> : null}
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path: `/operator/v1/account/${id}` }} />
          <ButtonLink to="/operator/audit" search={{ account: id }}>
            Audit log
          </ButtonLink>
          <ButtonLink to="/operator/accounts">All accounts</ButtonLink>
        </>
      }
    >
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {!account && !error ? <Skeleton rows={10} /> : null}
      {account ? <AccountView key={id} account={account} /> : null}
    </Page>
  )
}

function AccountView({ account }: { account: OperatedAccount }) {
  const isDeleted = account.status === 'DELETED'
  return (
    <>
      <p className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-2">
        <Id id={account.id} />
        <span>
          created <Time at={account.createdAt} form="when" />
        </span>
      </p>
      {isDeleted ? (
        <Notice tone="go" title="This account was deleted">
          Its ledger and the audit log are kept. Everything else is removed in the background.
        </Notice>
      ) : (
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            <Card title="Balance">
              <p className="mb-3 text-2xl font-semibold wrap-anywhere">
                {formatMoney(account.balance, 4)}
              </p>
              <MoneyForm account={account} />
            </Card>
            <PriceCard account={account.id} title="Custom prices" />
            <Card title="Branding">
              <BrandingCard accountId={account.id} />
            </Card>
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Card title="Brands and campaigns">
              <AccountRecords accountId={account.id} />
            </Card>
            <Card title="Tokens">
              <AccountTokens account={account} />
            </Card>
            <Card title="Name and retention">
              <AccountChanges account={account} />
            </Card>
            <Card title="Quotas">
              <QuotaForm accountId={account.id} />
            </Card>
            <Card title="Status">
              <AccountState account={account} />
            </Card>
          </div>
        </div>
      )}
    </>
  )
}
