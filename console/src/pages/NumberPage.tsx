// One number: its campaign, its price, where calls to it ring, and how to release it.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Star } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { GetNumberReply } from '../../generated/types.gen'
import { numberQuery } from '../api/account-queries'
import { campaignsQuery } from '../api/queries'
import { formatMoney, formatPhone } from '../lib/format'
import { useAct } from '../lib/use-act'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { Badge } from '../ui/display/Badge'
import { numberState } from '../ui/display/states'
import { Stamp, Time } from '../ui/display/Time'
import { ErrorNotice, Notice } from '../ui/feedback/Notice'
import { toast } from '../ui/feedback/Toast'
import { Button, ButtonLink } from '../ui/inputs/Button'
import { CopyButton } from '../ui/inputs/Copy'
import { Card, Page, Skeleton } from '../ui/layout/Page'
import { Calls } from './numbers/Calls'
import { digitsOf, makeDefault } from './numbers/number-acts'
import { ReleaseNumber } from './numbers/ReleaseNumber'

export function NumberPage() {
  const { digits } = useParams({ from: '/shell/numbers/$digits' })
  const { data, error, refetch } = useQuery(numberQuery(digits))
  if (data) return <NumberView key={data.number.phoneNumber} number={data.number} />
  return (
    <Page title={formatPhone(digits)} actions={<ButtonLink to="/numbers">All numbers</ButtonLink>}>
      {error ? (
        <ErrorNotice
          error={error}
          hint="It may have been released or belong to another account."
          onRetry={() => void refetch()}
        />
      ) : (
        <Card>
          <Skeleton rows={6} />
        </Card>
      )}
    </Page>
  )
}

type OwnNumber = GetNumberReply['number']

function NumberView({ number }: { number: OwnNumber }) {
  const { phoneNumber, isDefault } = number
  return (
    <Page
      title={formatPhone(phoneNumber)}
      meta={
        <>
          <CopyButton text={phoneNumber} label={phoneNumber} />
          <Badge state={numberState(number)} />
          {isDefault ? (
            <span className="inline-flex items-center gap-1 text-ink-2">
              <Star size={14} aria-hidden="true" /> Default
            </span>
          ) : null}
        </>
      }
      actions={
        <>
          <ApiRequestButton
            request={{ method: 'GET', path: `/v1/number/${digitsOf(phoneNumber)}` }}
          />
          <ButtonLink to="/messages" search={{ number: phoneNumber }}>
            View messages
          </ButtonLink>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {number.statusReason === undefined ? null : (
          <Notice tone={number.status === 'FAILED' ? 'bad' : 'go'} title={number.statusReason} />
        )}
        {number.sendingRefused === undefined ? null : (
          <Notice tone="bad" title="The carrier does not accept messages from this number">
            <p>
              Messages from it have failed since <Stamp at={number.sendingRefused.since} />. They
              are refunded. The carrier’s reason: {number.sendingRefused.reason}. Send from another
              number, or ask your operator to fix this one.
            </p>
          </Notice>
        )}
        <Facts number={number} />
        <Calls number={number} />
        <Acts number={number} />
      </div>
    </Page>
  )
}

function Facts({ number: { campaignId, monthlyPrice, purchasedAt } }: { number: OwnNumber }) {
  const campaign = useQuery(campaignsQuery).data?.campaigns.find(({ id }) => id === campaignId)
  return (
    <Card title="Details">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2 lg:grid-cols-4">
        <Fact name="Campaign">
          <Link
            to="/campaigns/$id"
            params={{ id: campaignId }}
            className="text-accent-ink underline wrap-anywhere"
            dir="auto"
          >
            {campaign?.displayName || campaignId}
          </Link>
        </Fact>
        <Fact name="Price">{formatMoney(monthlyPrice)}/month</Fact>
        <Fact name="Purchased">
          <Time at={purchasedAt} />
        </Fact>
        <Fact name="Next charge">
          {campaign?.renewsAt ? (
            <>
              <Time at={campaign.renewsAt} />, with the campaign renewal
            </>
          ) : (
            'With the campaign renewal'
          )}
        </Fact>
      </dl>
    </Card>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid lg:col-span-1 lg:block">
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  )
}

function Acts({ number: { phoneNumber, isDefault } }: { number: OwnNumber }) {
  const navigate = useNavigate()
  const [isConfirming, setConfirming] = useState(false)
  const choose = useAct((key) => makeDefault(phoneNumber, key))
  return (
    <Card title="Manage number">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        {isDefault ? (
          <p className="text-ink-2">
            This is the default number. The campaign sends from it unless you choose another.
          </p>
        ) : (
          <Button onClick={() => choose.run()} busy={choose.isBusy && 'Changing…'}>
            Make default
          </Button>
        )}
        <Button className="ml-auto text-bad-ink" onClick={() => setConfirming(true)}>
          Release number…
        </Button>
      </div>
      {choose.error ? (
        <div className="mt-3">
          <ErrorNotice error={choose.error} isAnswer />
        </div>
      ) : null}
      {choose.reply && isDefault ? (
        <div className="mt-3">
          <Notice tone="go" title="This is now the default number." isAnswer />
        </div>
      ) : null}
      {isConfirming ? (
        <ReleaseNumber
          phone={phoneNumber}
          isDefault={isDefault}
          onClose={() => setConfirming(false)}
          onDone={() => {
            toast(`${formatPhone(phoneNumber)} released.`)
            void navigate({ to: '/numbers', replace: true })
          }}
        />
      ) : null}
    </Card>
  )
}
