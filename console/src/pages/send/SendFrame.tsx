// What both send pages share: the header with its tabs, the campaigns that can send and why others cannot, and the
// sender numbers.

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Campaign, ListedNumber } from '../../../generated/types.gen'
import { campaignsQuery, numbersQuery, pricesQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { formatMoney, formatPhone } from '../../lib/format'
import { Badge } from '../../ui/display/Badge'
import { campaignState } from '../../ui/display/states'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { ButtonLink, StartLink } from '../../ui/inputs/Button'
import { Field, Select } from '../../ui/inputs/Field'
import { Card, Empty, Page, Skeleton } from '../../ui/layout/Page'
import { type TabLink, TabLinks } from '../../ui/layout/TabLinks'

const TABS: readonly TabLink[] = [
  { label: 'Single message', link: { to: '/send' } },
  { label: 'CSV file', link: { to: '/send/csv' } },
]

export interface Sendable {
  active: readonly Campaign[]
  others: readonly Campaign[]
  numbersOf: (campaignId: string) => readonly ListedNumber[]
}

interface FrameProps {
  actions?: ReactNode
  children: (sendable: Sendable) => ReactNode
}

export function SendFrame({ actions, children }: FrameProps) {
  const campaigns = useQuery(campaignsQuery)
  const numbers = useQuery(numbersQuery)
  const error = campaigns.error ?? numbers.error
  const retry = () => void Promise.all([campaigns.refetch(), numbers.refetch()])
  const all = campaigns.data?.campaigns
  const sendable = all &&
    numbers.data && {
      active: all.filter(({ status }) => status === 'ACTIVE'),
      others: all.filter(({ status }) => status !== 'ACTIVE'),
      numbersOf: (id: string) => numbers.data.numbers.filter(({ campaign }) => campaign === id),
    }
  return (
    <Page title="Send message" actions={actions}>
      <TabLinks label="Send options" tabs={TABS} />
      {sendable ? (
        sendable.active.length > 0 ? (
          children(sendable)
        ) : (
          <NoCampaign others={sendable.others} />
        )
      ) : error ? (
        <ErrorNotice error={error} onRetry={retry} />
      ) : (
        <Card>
          <Skeleton rows={8} />
        </Card>
      )}
    </Page>
  )
}

function NoCampaign({ others }: { others: readonly Campaign[] }) {
  const { mode } = useSession()
  const prices = useQuery(pricesQuery).data?.prices
  const create = (
    <ButtonLink look={mode === 'sandbox' ? 'plain' : 'filled'} to="/campaigns/new">
      Create campaign{prices ? ` · ${formatMoney(prices.campaignCreation)}` : ''}
    </ButtonLink>
  )
  return (
    <Card>
      <Empty
        title="You need an active campaign to send"
        actions={
          <>
            <StartLink>Send your first text</StartLink>
            {create}
          </>
        }
      >
        {others.length > 0 ? (
          <ul className="mt-2 flex flex-col gap-1 text-left">
            {others.slice(0, 5).map((campaign) => (
              <li key={campaign.id} className="flex flex-wrap items-center gap-2">
                <Badge state={campaignState(campaign)} />
                <span className="min-w-0 truncate">{campaign.displayName || campaign.id}</span>
                <ButtonLink look="quiet" to="/campaigns/$id" params={{ id: campaign.id }}>
                  See why it is not active
                </ButtonLink>
              </li>
            ))}
          </ul>
        ) : (
          'A campaign is reviewed once. After approval, its numbers can send messages.'
        )}
      </Empty>
    </Card>
  )
}

interface ChoiceProps {
  sendable: Sendable
  campaign: Campaign
  /** The campaign in the URL, which may not be able to send. */
  requested?: string
  from: string
  errorOf: (field: string) => string | null
  onChoose: (choice: { campaign?: string; from?: string }) => void
  /** In a narrow column, stacks the fields. */
  isNarrow?: boolean
}

/** The campaign and sender fields. */
export function CampaignChoice(props: ChoiceProps) {
  const { sendable, campaign, requested, from, errorOf, onChoose, isNarrow } = props
  const refused = sendable.others.find(({ id }) => id === requested)
  const numbers = sendable.numbersOf(campaign.id)
  const others = sendable.others.map((one) => {
    const { word, meaning } = campaignState(one)
    return { value: one.id, label: `${nameOf(one)} · ${word}: ${meaning}`, isOff: true }
  })
  const active = sendable.active.map((one) => ({ value: one.id, label: `${nameOf(one)} · Active` }))
  const senders = numbers.map(({ phoneNumber, isDefault }) => ({
    value: phoneNumber,
    label: `${formatPhone(phoneNumber)}${isDefault ? ' · default' : ''}`,
  }))
  return (
    <>
      <div className={`grid grid-cols-1 gap-4 sm:grid-cols-2 ${isNarrow ? 'lg:grid-cols-1' : ''}`}>
        <Field label="Campaign" error={errorOf('campaign')}>
          {(tied) => (
            <Select
              {...tied}
              value={campaign.id}
              options={[...active, ...others]}
              onChange={(event) => onChoose({ campaign: event.target.value, from: '' })}
            />
          )}
        </Field>
        <Field label="From" error={errorOf('from')}>
          {(tied) => (
            <Select
              {...tied}
              value={from}
              options={[
                { value: '', label: 'Automatic (the number last used with this recipient)' },
                ...senders,
              ]}
              onChange={(event) => onChoose({ from: event.target.value })}
            />
          )}
        </Field>
      </div>
      {refused ? (
        <Notice tone="warn" title={`${nameOf(refused)} can’t send right now`}>
          {campaignState(refused).word}: {campaignState(refused).meaning}. Sending from{' '}
          {nameOf(campaign)} instead.
        </Notice>
      ) : null}
      {numbers.length === 0 ? (
        <Notice tone="warn" title="This campaign has no numbers">
          <ButtonLink to="/numbers/buy" search={{ campaign: campaign.id }}>
            Buy a number
          </ButtonLink>
        </Notice>
      ) : null}
    </>
  )
}

function nameOf({ displayName, id }: Campaign): string {
  return displayName || id
}

/** The chosen campaign if it can send, otherwise the first one with a number. */
export function chosenOf({ active, numbersOf }: Sendable, id: string): Campaign {
  const chosen = active.find((one) => one.id === id)
  return chosen ?? active.find((one) => numbersOf(one.id).length > 0) ?? active[0]!
}
