// One message of any account: what happened to it, which link took it, the carrier's IDs and the error code. Its text is
// shown after someone gives a reason.

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { OperatorGetMessageReply } from '../../../generated/types.gen'
import { lookedUpMessageQuery } from '../../api/lookup-queries'
import { describeError } from '../../lib/describe-error'
import { formatPhone, plural } from '../../lib/format'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { messageStatusState } from '../../ui/display/states'
import { Time } from '../../ui/display/Time'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { CopyButton, Id } from '../../ui/inputs/Copy'
import { Field, Input } from '../../ui/inputs/Field'
import { Card, Page, Skeleton } from '../../ui/layout/Page'
import { Facts } from '../registry/Facts'

export function LookupMessage() {
  const { id } = useParams({ from: '/operator/messages/$id' })
  const [reason, setReason] = useState('')
  const { data, error, refetch } = useQuery(lookedUpMessageQuery(id, reason))
  return (
    <Page
      title="Message"
      meta={<Id id={id} />}
      actions={
        <>
          <ApiRequestButton request={{ method: 'GET', path: `/operator/v1/message/${id}` }} />
          <ButtonLink to="/operator/messages">Look up another</ButtonLink>
        </>
      }
    >
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <File file={data} isAsked={reason !== ''} onReason={setReason} />
      ) : (
        <Skeleton rows={10} />
      )}
    </Page>
  )
}

interface FileProps {
  file: OperatorGetMessageReply
  isAsked: boolean
  onReason: (reason: string) => void
}

function File({ file: { message, timeline, handovers }, isAsked, onReason }: FileProps) {
  const known = message.errorCode === null ? null : describeError(message.errorCode)
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
      <Card title="Message">
        <Facts
          facts={[
            ['Status', <Badge key="status" state={messageStatusState(message.status)} />],
            ['From', formatPhone(message.from)],
            ['To', formatPhone(message.to)],
            ['Created', <Time key="created" at={message.createdAt} />],
            ['Sent', message.sentAt && <Time key="sent" at={message.sentAt} />],
            ['Type', `${message.type}, ${plural(message.numSegments, 'segment')}`],
            ['Error code', message.errorCode === null ? '' : String(message.errorCode)],
            ['Error', message.errorMessage ?? ''],
            ['Account', <AccountLink key="account" id={message.accountId} />],
            ['Campaign', <CampaignLink key="campaign" id={message.campaignId} />],
          ]}
        />
        {known ? (
          <div className="mt-3">
            <Notice tone="warn" title={known.headline}>
              {known.remedy}
            </Notice>
          </div>
        ) : null}
      </Card>
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Timeline">
          <ol className="flex flex-col gap-2">
            {timeline.map(({ at, text }) => (
              <li key={`${at} ${text}`} className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3">
                <span className="text-sm text-ink-2">
                  <Time at={at} />
                </span>
                <span className="wrap-anywhere">{text}</span>
              </li>
            ))}
          </ol>
        </Card>
        <Card title="Carrier">
          <Carrier handovers={handovers} />
        </Card>
        <Card title="Text">
          {message.body === null ? (
            <AskReason isRefused={isAsked} onReason={onReason} />
          ) : (
            <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
              {message.body || 'No text'}
            </p>
          )}
        </Card>
      </div>
    </div>
  )
}

const LINK = 'font-mono text-sm text-accent-ink underline'

function AccountLink({ id }: { id: string }) {
  return (
    <Link to="/operator/accounts/$id" params={{ id }} className={LINK}>
      {id}
    </Link>
  )
}

function CampaignLink({ id }: { id: string }) {
  return (
    <Link to="/operator/reviews/campaign/$id" params={{ id }} className={LINK}>
      {id}
    </Link>
  )
}

function Carrier({ handovers }: Pick<OperatorGetMessageReply, 'handovers'>) {
  if (handovers.length === 0) {
    return <p className="text-ink-2">No link has recorded that it took this message.</p>
  }
  return (
    <ul className="flex flex-col gap-2">
      {handovers.map(({ at, link, carrierIds }) => (
        <li key={at}>
          Accepted by link <strong className="font-medium">{link}</strong> <Time at={at} />
          {carrierIds.map((id) => (
            <p key={id} className="flex items-center gap-1 text-sm">
              Carrier ID <span className="font-mono wrap-anywhere">{id}</span>
              <CopyButton text={id} label="carrier ID" />
            </p>
          ))}
        </li>
      ))}
    </ul>
  )
}

function AskReason(props: { isRefused: boolean; onReason: (reason: string) => void }) {
  const [text, setText] = useState('')
  if (props.isRefused) return <p className="text-ink-2">Texts are hidden in this installation.</p>
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) props.onReason(text.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-col items-start gap-3">
      <Field label="Reason" help="The customer can read it, for example a ticket number.">
        {(tied) => (
          <Input
            {...tied}
            value={text}
            maxLength={255}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" blocked={text.trim() === '' && 'Enter a reason'}>
        Show text
      </Button>
    </form>
  )
}
