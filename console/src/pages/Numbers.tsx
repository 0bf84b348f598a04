// Numbers: which ones the account has, what they cost, and where calls to them ring.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PhoneForwarded, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ListedNumber } from '../../generated/types.gen'
import { numberListQuery } from '../api/account-queries'
import { isCanadianNumber } from '../lib/canada'
import { formatMoney, formatPhone } from '../lib/format'
import { useAct } from '../lib/use-act'
import { type CampaignNames, useCampaignNames } from '../lib/use-campaign-names'
import { ApiRequestButton } from '../ui/display/ApiRequest'
import { type Column, DataTable } from '../ui/display/DataTable'
import { ListCard } from '../ui/display/ListCard'
import { Time } from '../ui/display/Time'
import { Dialog } from '../ui/feedback/Dialog'
import { ErrorNotice } from '../ui/feedback/Notice'
import { toast } from '../ui/feedback/Toast'
import { ButtonLink } from '../ui/inputs/Button'
import { Phone } from '../ui/inputs/Copy'
import { Select } from '../ui/inputs/Field'
import { Menu } from '../ui/inputs/Menu'
import { Empty, Page } from '../ui/layout/Page'
import { ForwardForm } from './numbers/ForwardForm'
import { digitsOf, makeDefault } from './numbers/number-acts'
import { ReleaseNumber } from './numbers/ReleaseNumber'

export function Numbers() {
  const { campaign } = useSearch({ from: '/shell/numbers' })
  const names = useCampaignNames()
  const list = useInfiniteQuery(numberListQuery(campaign))
  return (
    <Page
      title="Numbers"
      actions={
        <>
          <ApiRequestButton
            request={{
              method: 'GET',
              path: campaign ? `/v1/campaign/${campaign}/numbers` : '/v1/number/list',
            }}
          />
          <ButtonLink look="filled" to="/numbers/buy" search={campaign ? { campaign } : {}}>
            Buy a number
          </ButtonLink>
        </>
      }
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ numbers }) => numbers)}
        filters={<Filter campaign={campaign} names={names} />}
        empty={
          <Empty title={campaign ? 'This campaign has no numbers' : 'No numbers yet'}>
            {campaign
              ? 'It needs a number to send from and to receive replies.'
              : 'An active campaign sends from its own numbers and receives replies on them.'}
          </Empty>
        }
      >
        {(numbers) => (
          <DataTable
            label="Numbers"
            rows={numbers}
            rowKey={({ phoneNumber }) => phoneNumber}
            columns={columnsOf(names)}
            linkOf={({ phoneNumber }) => ({
              to: '/numbers/$digits',
              params: { digits: digitsOf(phoneNumber) },
            })}
            short={(number) => <Short number={number} names={names} />}
          />
        )}
      </ListCard>
    </Page>
  )
}

interface Props {
  campaign: string | undefined
  names: CampaignNames
}

function Filter({ campaign, names }: Props) {
  const navigate = useNavigate({ from: '/numbers' })
  return (
    <search className="mb-3 flex flex-wrap gap-2">
      <div className="w-56">
        <Select
          aria-label="Campaign"
          value={campaign ?? ''}
          options={[{ value: '', label: 'All campaigns' }, ...names.options]}
          onChange={({ target: { value } }) =>
            void navigate({ search: value ? { campaign: value } : {}, replace: true })
          }
        />
      </div>
    </search>
  )
}

/** Canadian numbers look like US numbers. */
function CountryMark({ phone }: { phone: string }) {
  return isCanadianNumber(phone) ? <span className="text-xs text-ink-2">Canada</span> : null
}

function columnsOf(names: CampaignNames): readonly Column<ListedNumber>[] {
  return [
    {
      name: 'number',
      head: 'Number',
      className: 'w-56',
      cell: ({ phoneNumber, isDefault }) => (
        <span className="flex items-center gap-2">
          <span className="font-medium">
            <Phone phone={phoneNumber} />
          </span>
          {isDefault ? <DefaultMark /> : null}
          <CountryMark phone={phoneNumber} />
        </span>
      ),
    },
    { name: 'campaign', head: 'Campaign', isText: true, cell: (row) => names.nameOf(row.campaign) },
    {
      name: 'forwarding',
      head: 'Forwards calls to',
      className: 'w-44',
      cell: ({ forwardNumber }) =>
        forwardNumber ? (
          <Forwarding to={forwardNumber} />
        ) : (
          <span className="text-ink-3">Not forwarded</span>
        ),
    },
    {
      name: 'price',
      head: 'Per month',
      className: 'w-24',
      align: 'right',
      cell: ({ monthlyPrice }) => formatMoney(monthlyPrice),
    },
    {
      name: 'since',
      head: 'Purchased',
      className: 'w-32',
      cell: ({ purchasedAt }) => <Time at={purchasedAt} />,
    },
    {
      name: 'acts',
      head: <span className="sr-only">Actions</span>,
      className: 'w-14',
      cell: (number) => <Acts number={number} />,
    },
  ]
}

function DefaultMark() {
  return (
    <span className="inline-flex items-center gap-1 text-sm text-ink-2">
      <Star size={14} aria-hidden="true" /> Default
    </span>
  )
}

function Forwarding({ to }: { to: string }) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <PhoneForwarded size={14} aria-hidden="true" className="text-ink-2" />
      {formatPhone(to)}
    </span>
  )
}

function Short({ number, names }: { number: ListedNumber; names: CampaignNames }) {
  const { phoneNumber, isDefault, monthlyPrice, forwardNumber, campaign } = number
  return (
    <>
      <span className="flex items-center gap-2">
        <span className="font-medium">
          <Phone phone={phoneNumber} />
        </span>
        <CountryMark phone={phoneNumber} />
        {isDefault ? <DefaultMark /> : null}
        <span className="ml-auto">{formatMoney(monthlyPrice)}/month</span>
      </span>
      <span className="flex gap-2 text-sm text-ink-2">
        <span className="truncate" dir="auto">
          {names.nameOf(campaign)}
        </span>
        {forwardNumber ? (
          <span className="ml-auto">
            <Forwarding to={forwardNumber} />
          </span>
        ) : null}
      </span>
    </>
  )
}

function Acts({ number: { phoneNumber, isDefault, forwardNumber } }: { number: ListedNumber }) {
  const [open, setOpen] = useState<'forward' | 'release' | null>(null)
  const close = () => setOpen(null)
  const phone = formatPhone(phoneNumber)
  const choose = useAct((key) => makeDefault(phoneNumber, key), {
    onDone: () => toast(`${phone} is now the default number.`),
  })
  const items = [
    { label: 'Forward calls…', icon: PhoneForwarded, onSelect: () => setOpen('forward') },
    ...(isDefault ? [] : [{ label: 'Make default', icon: Star, onSelect: () => choose.run() }]),
    { label: 'Release…', icon: Trash2, isDanger: true, onSelect: () => setOpen('release') },
  ]
  return (
    <>
      <Menu label={`Actions for ${phone}`} items={items} />
      {choose.error ? (
        <Dialog title={`Could not make ${phone} the default`} onClose={choose.reset}>
          <ErrorNotice error={choose.error} onRetry={() => choose.run()} isAnswer />
        </Dialog>
      ) : null}
      {open === 'forward' ? (
        <Dialog title={`Calls to ${phone}`} onClose={close}>
          <ForwardForm
            phone={phoneNumber}
            forwardNumber={forwardNumber}
            onDone={(text) => {
              toast(`${phone}: ${text}`)
              close()
            }}
          />
        </Dialog>
      ) : null}
      {open === 'release' ? (
        <ReleaseNumber
          phone={phoneNumber}
          isDefault={isDefault}
          onDone={() => {
            toast(`${phone} released.`)
            close()
          }}
          onClose={close}
        />
      ) : null}
    </>
  )
}
