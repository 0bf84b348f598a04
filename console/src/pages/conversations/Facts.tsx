// One person in one campaign: the contact, whether they can receive messages, their opt-out history, and totals.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Message, OptoutChange } from '../../../generated/types.gen'
import { useSession } from '../../api/session'
import { optoutChangesQuery, personQuery, threadQuery } from '../../api/talk-queries'
import { formatMoney, formatPhone } from '../../lib/format'
import { clockOf, formatDay, formatLocal, formatUtc } from '../../lib/format-time'
import { carrierOf } from '../../lib/sandbox'
import { Badge } from '../../ui/display/Badge'
import { writableState } from '../../ui/display/states'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Skeleton } from '../../ui/layout/Page'
import { describeSource } from './Bubble'
import { ContactPanel } from './ContactPanel'
import { RecordConsent } from './RecordConsent'

interface FactsProps {
  campaignId: string
  phone: string
}

export function Facts(props: FactsProps) {
  return (
    <div className="flex flex-col gap-5">
      <ContactPanel {...props} />
      <MayWrite {...props} />
      <Totals {...props} />
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col items-start gap-1.5">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  )
}

function MayWrite({ campaignId, phone }: FactsProps) {
  const { account } = useSession()
  const { data, error, refetch } = useQuery(optoutChangesQuery(campaignId, phone))
  const { data: person } = useQuery(personQuery(phone))
  const [isAsking, setAsking] = useState(false)
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={3} height={24} />
  const [latest, ...earlier] = data.changes
  const isOut = latest?.change === 'opted_out'
  const keyword = person?.conversations.find((one) => one.campaignId === campaignId)?.optout
    ?.keyword
  const mayManage = account?.scopes.includes('manage')
  return (
    <>
      <Section title="Can receive messages">
        <Badge state={writableState(isOut)} />
        {latest ? (
          <ChangeLine change={latest} keyword={isOut ? (keyword ?? null) : null} />
        ) : (
          <p className="text-sm text-ink-2">No opt-out from this campaign.</p>
        )}
        {isOut && mayManage ? (
          <Button onClick={() => setAsking(true)}>Record consent…</Button>
        ) : null}
      </Section>
      {earlier.length > 0 ? (
        <Section title="Earlier">
          <ul className="flex flex-col gap-1">
            {earlier.map((change) => (
              <li key={`${change.createdAt} ${change.change}`}>
                <ChangeLine change={change} keyword={null} isNamed />
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {isAsking ? (
        <RecordConsent campaignId={campaignId} phone={phone} onClose={() => setAsking(false)} />
      ) : null}
    </>
  )
}

interface LineProps {
  change: OptoutChange
  keyword: string | null
  isNamed?: boolean
}

function ChangeLine({ change, keyword, isNamed }: LineProps) {
  const at = new Date(change.createdAt)
  const what = change.change === 'opted_out' ? 'Opted out: ' : 'Opted in: '
  return (
    <p className="text-sm wrap-anywhere text-ink-2">
      {isNamed ? what : ''}
      {keyword ?? describeSource(change.source)},{' '}
      <time dateTime={change.createdAt} title={`${formatLocal(at)}\n${formatUtc(at)}`}>
        {formatDay(at)}, {clockOf(at)}
      </time>
      {change.reason ? `. “${change.reason}”` : ''}
    </p>
  )
}

function Totals({ campaignId, phone }: FactsProps) {
  const { mode } = useSession()
  const { data, hasNextPage } = useInfiniteQuery(threadQuery(campaignId, phone))
  if (!data) return <Skeleton rows={3} height={24} />
  const messages = data.pages.flatMap((page) => page.messages)
  const out = messages.filter(({ direction }) => direction === 'OUTBOUND')
  const ours = ourNumber(messages)
  return (
    <>
      <Section title="Totals">
        <p>
          {out.length} sent · {messages.length - out.length} received
        </p>
        <p>{formatMoney(messages.reduce((sum, { price }) => sum + price, 0))}</p>
        {hasNextPage ? (
          <p className="text-sm text-ink-2">
            Newest {messages.length} messages. Scroll up for more.
          </p>
        ) : null}
      </Section>
      <Section title="About">
        {ours ? <p>Your number: {formatPhone(ours)}</p> : null}
        {mode === 'sandbox' ? <p>Carrier: {carrierOf(phone)}</p> : null}
        <ButtonLink to="/messages" search={{ number: phone, campaign: campaignId }}>
          View as list
        </ButtonLink>
      </Section>
    </>
  )
}

function ourNumber([last]: readonly Message[]): string | null {
  if (!last) return null
  return last.direction === 'INBOUND' ? last.to : last.from
}
