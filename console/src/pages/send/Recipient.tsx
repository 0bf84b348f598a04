// The recipient in any format, with what we know about them: whether they opted out, and the last
// message.

import { useQuery } from '@tanstack/react-query'
import { Ban, Check, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import { type KnownRecipient, recipientQuery } from '../../api/send-queries'
import { useSession } from '../../api/session'
import { formatPhone } from '../../lib/format'
import { readRecipient } from '../../lib/recipient'
import { Time } from '../../ui/display/Time'
import { Field, Input } from '../../ui/inputs/Field'

interface RecipientProps {
  to: string
  campaign: string
  error: string | null
  onChange: (to: string) => void
}

export function RecipientField({ to, campaign, error, onChange }: RecipientProps) {
  const isSandbox = useSession().mode === 'sandbox'
  const { phone, problem, warning } = readRecipient(to, isSandbox)
  return (
    <div className="flex flex-col gap-1">
      <Field label="To" error={error}>
        {(tied) => (
          <Input
            {...tied}
            type="tel"
            autoComplete="off"
            maxLength={40}
            placeholder="(415) 555-0100"
            value={to}
            onChange={(event) => onChange(event.target.value)}
            onBlur={() => phone && onChange(formatPhone(phone).replace('\u00a0', ' '))}
          />
        )}
      </Field>
      <div className="min-h-5 text-sm text-ink-2">
        {phone ? (
          <RecipientStatus key={phone} campaign={campaign} phone={phone} warning={warning} />
        ) : problem && to.replace(/\D/g, '').length >= 10 ? (
          problem
        ) : null}
      </div>
    </div>
  )
}

interface KnownProps {
  campaign: string
  phone: string
  warning: string | null
}

function RecipientStatus({ campaign, phone, warning }: KnownProps) {
  const { data } = useQuery(recipientQuery(campaign, phone))
  const spoken = data?.optedOut
    ? 'Opted out'
    : warning
      ? 'The message may not arrive'
      : data
        ? 'Not opted out'
        : ''
  return (
    <>
      <KnownLine data={data} warning={warning} />
      {/* Without the time, which screen readers would announce on every change. */}
      <span role="status" className="sr-only">
        {spoken}
      </span>
    </>
  )
}

interface KnownLineProps {
  data: KnownRecipient | undefined
  warning: string | null
}

function KnownLine({ data, warning }: KnownLineProps) {
  if (data?.optedOut) {
    return (
      <Line icon={<Ban size={14} aria-hidden="true" />} tone="text-bad-ink">
        <span className="font-medium">Opted out</span>
        {data.optedOut.how ? ` · ${data.optedOut.how}` : ''}{' '}
        <Time at={data.optedOut.at} form="when" />
      </Line>
    )
  }
  if (warning) return <Line icon={<Info size={14} aria-hidden="true" />}>{warning}</Line>
  if (!data) return null
  return (
    <Line icon={<Check size={14} aria-hidden="true" className="text-ok-ink" />}>
      Not opted out · <LastMessage known={data} />
    </Line>
  )
}

function LastMessage({ known: { lastMessage } }: { known: KnownRecipient }) {
  if (!lastMessage) return 'no messages yet'
  return (
    <>
      {lastMessage.direction === 'INBOUND' ? 'last received ' : 'last sent '}
      <Time at={lastMessage.createdAt} form="when" />
    </>
  )
}

interface LineProps {
  icon: ReactNode
  tone?: string
  children: ReactNode
}

function Line({ icon, tone = '', children }: LineProps) {
  return (
    <span className={`flex gap-1.5 ${tone}`}>
      <span className="mt-0.5 shrink-0">{icon}</span>
      <span className="min-w-0">{children}</span>
    </span>
  )
}
