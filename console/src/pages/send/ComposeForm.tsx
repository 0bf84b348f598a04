// The form for one message: recipient, text, and time. Priced while it is written, sent once however often the
// button is pressed, and never lost.

import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { ApiFailure } from '../../api/request'
import { sendMessage } from '../../api/send-queries'
import { useSession } from '../../api/session'
import { formatMoney } from '../../lib/format'
import { readRecipient } from '../../lib/recipient'
import { serviceNow } from '../../lib/service-time'
import { useAct } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'
import { usePreview } from '../../lib/use-preview'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Button } from '../../ui/inputs/Button'
import { Field, TextArea } from '../../ui/inputs/Field'
import { SegmentMeter } from '../../ui/inputs/SegmentMeter'
import { Card } from '../../ui/layout/Page'
import { Done } from './Done'
import {
  blockOf,
  EMPTY,
  type Fields,
  fieldsOf,
  mediaOf,
  messageOf,
  type SendSearch,
} from './fields'
import { More } from './More'
import { Preview } from './Preview'
import { RecipientField } from './Recipient'
import { SendFailure } from './SendFailure'
import { CampaignChoice, chosenOf, type Sendable } from './SendFrame'
import { useIsFirst } from './use-is-first'
import { When } from './When'

export function ComposeForm({ sendable, search }: { sendable: Sendable; search: SendSearch }) {
  const isSandbox = useSession().mode === 'sandbox'
  const [kept, setKept, draft] = useDraft<Fields>('send', EMPTY)
  const [fromUrl, setFromUrl] = useState<Partial<Fields>>(() => fieldsOf(search))
  const current = { ...kept, ...fromUrl }
  const campaign = chosenOf(sendable, current.campaign)
  const numbers = sendable.numbersOf(campaign.id)
  const isOurs = numbers.some(({ phoneNumber }) => phoneNumber === current.from)
  const fields = { ...current, from: isOurs ? current.from : '' }
  const set = (change: Partial<Fields>) => {
    setFromUrl({})
    setKept({ ...fields, ...change })
  }
  const message = messageOf(fields, campaign.id, isSandbox)
  const counted = usePreview(fields.body, {
    media: mediaOf(fields).filter((url) => URL.canParse(url)),
  })
  const act = useAct((key, body: typeof message) => sendMessage(body, key), {
    onDone: () => {
      draft.clear()
      setFromUrl({})
    },
  })
  const [sent, setSent] = useState<typeof message | null>(null)
  const isFirst = useIsFirst(campaign, readRecipient(fields.to, isSandbox).phone)
  const blocked =
    numbers.length > 0 ? blockOf(fields, serviceNow(), isSandbox) : 'This campaign has no numbers'
  const send = () => {
    if (blocked || act.isBusy) return
    setSent(message)
    act.run(message)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const hearKeys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      send()
    }
  }
  const errorOf = (field: string) => fieldError(act.error, field)
  if (act.reply && sent) {
    const done = { id: act.reply.id, to: sent.to, scheduledAt: sent.scheduledAt ?? null }
    const again = () => {
      setKept({ ...EMPTY, campaign: sent.campaign, from: sent.from ?? '' })
      act.reset()
    }
    return <Done sent={done} onAgain={again} />
  }
  const price = counted.preview?.price ?? null
  return (
    <form
      onSubmit={submit}
      onKeyDown={hearKeys}
      className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]"
    >
      <Card>
        <div className="flex flex-col gap-4">
          <CampaignChoice
            sendable={sendable}
            campaign={campaign}
            requested={current.campaign}
            from={fields.from}
            errorOf={errorOf}
            onChoose={set}
          />
          <RecipientField
            to={fields.to}
            campaign={campaign.id}
            error={errorOf('to')}
            onChange={(to) => set({ to })}
          />
          <div className="flex flex-col gap-2">
            <Field label="Text" error={errorOf('body')}>
              {(tied) => (
                <TextArea
                  {...tied}
                  dir="auto"
                  rows={5}
                  value={fields.body}
                  onChange={(event) => set({ body: event.target.value })}
                />
              )}
            </Field>
            <SegmentMeter
              body={fields.body}
              counted={counted}
              onChange={(body) => set({ body })}
              needsOptout={isFirst}
            />
          </div>
          <When fields={fields} set={set} error={errorOf('scheduledAt')} />
          <More fields={fields} set={set} errorOf={errorOf} />
          {act.error ? (
            <SendFailure
              error={act.error}
              price={price}
              campaign={campaign.id}
              to={message.to}
              onRetry={send}
            />
          ) : null}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <Button look="filled" type="submit" busy={act.isBusy && 'Sending…'} blocked={blocked}>
              {fields.isLater ? 'Schedule' : 'Send'}
              {price === null ? '' : ` · ${formatMoney(price)}`}
            </Button>
            <kbd className="font-sans text-xs text-ink-3 max-sm:hidden pointer-coarse:hidden">
              {SEND_KEYS}
            </kbd>
            <ApiRequestButton
              request={{ method: 'POST', path: '/v1/message/send', body: message }}
            />
            <span role="status" className="text-sm text-ink-2">
              {blocked && draft.isKept ? sentence(blocked) : ''}
            </span>
            {draft.isKept ? (
              <span className="ml-auto flex items-center gap-1 text-sm text-ink-3">
                Draft saved in this browser
                <Button look="quiet" onClick={() => draft.clear()}>
                  Discard
                </Button>
              </span>
            ) : null}
          </div>
        </div>
      </Card>
      <Preview
        body={counted.preview?.body ?? fields.body}
        isWritten={fields.body !== ''}
        from={fields.from}
        media={mediaOf(fields)}
      />
    </form>
  )
}

const SEND_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘⏎' : 'Ctrl ⏎'

function sentence(words: string): string {
  return /[.?]$/.test(words) ? words : `${words}.`
}

function fieldError(error: Error | null, field: string): string | null {
  if (!(error instanceof ApiFailure)) return null
  const found = error.details.find((one) => one.field === field)
  return found ? `${field.split(/[.[]/)[0]} ${found.problem}` : null
}
