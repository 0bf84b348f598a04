// The open step of the first-run steps: one form, one request, the price on the button.

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { previewQuery, pricesQuery, searchNumbersQuery } from '../../api/queries'
import { useSession } from '../../api/session'
import { formatMoney, formatPhone, plural } from '../../lib/format'
import { FIRST_PHONE, reviewPace } from '../../lib/sandbox'
import { type Act, useAct } from '../../lib/use-act'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Field, Input, TextArea } from '../../ui/inputs/Field'
import { Skeleton } from '../../ui/layout/Page'
import { buyNumber, createBrand, createCampaign, sendFirst } from './do-all'
import { EXAMPLE_BRAND, exampleCampaign, FIRST_TEXT } from './example'
import type { Progress } from './progress'

interface FormProps {
  step: Act<void, unknown>
  label: ReactNode
  busy: string
  blocked?: string | false
  children?: ReactNode
}

function Form({ step, label, busy, blocked, children }: FormProps) {
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!blocked) step.run()
      }}
    >
      {children}
      {step.error ? <ErrorNotice error={step.error} isAnswer /> : null}
      <div>
        <Button look="filled" type="submit" busy={step.isBusy && busy} blocked={blocked ?? false}>
          {label}
        </Button>
      </div>
    </form>
  )
}

function InReview() {
  return <p className="text-ink-2">In review. {reviewPace(useSession())}</p>
}

export function BrandStep({ brand }: Progress) {
  const [fields, setFields] = useState<typeof EXAMPLE_BRAND>(EXAMPLE_BRAND)
  const step = useAct((key) => createBrand(fields, key))
  if (brand?.status === 'UNVERIFIED' || brand?.status === 'DRAFT') {
    return (
      <SentBack notes={brand.reviewNotes}>
        <ButtonLink look="filled" to="/brands/$id/edit" params={{ id: brand.id }}>
          Open form
        </ButtonLink>
      </SentBack>
    )
  }
  if (brand) return <InReview />
  const { street, city, state, postalCode, firstName, lastName, email } = fields
  const input = (name: 'entityName' | 'ein' | 'website', label: string, help: string) => (
    <Field label={label} help={help}>
      {(tied) => (
        <Input
          {...tied}
          value={fields[name]}
          onChange={(event) => setFields({ ...fields, [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <Form step={step} label="Create brand · free" busy="Creating…">
      <p className="text-ink-2">
        The company that sends messages. Filled with example data. In the sandbox, any company
        works.
      </p>
      {input(
        'entityName',
        'Legal name',
        'Exactly as it appears on your IRS letter, including LLC or Inc.',
      )}
      {input('ein', 'EIN', 'Nine digits. Must match the legal name.')}
      {input('website', 'Website', 'Reviewers visit it.')}
      <p className="text-sm text-ink-2">
        {street}, {city}, {state} {postalCode} · {firstName} {lastName}, {email}
      </p>
    </Form>
  )
}

export function CampaignStep({ brand, campaign }: Progress) {
  const [fields, setFields] = useState(() => exampleCampaign(brand ?? EXAMPLE_BRAND))
  const prices = useQuery(pricesQuery).data?.prices
  const step = useAct((key) => createCampaign({ ...fields, brandId: brand!.id }, key))
  if (campaign?.status === 'DRAFT') {
    return (
      <SentBack notes={campaign.reviewNotes}>
        <ButtonLink look="filled" to="/campaigns/$id/edit" params={{ id: campaign.id }}>
          Open form
        </ButtonLink>
      </SentBack>
    )
  }
  if (campaign?.status === 'PENDING') return <InReview />
  return (
    <Form
      step={step}
      label={`Create campaign${prices ? ` · ${formatMoney(prices.campaignCreation)}` : ''}`}
      busy="Creating…"
      blocked={!prices && 'Loading price…'}
    >
      <p className="text-ink-2">
        Who you text and why. It is reviewed before carriers accept its messages.
      </p>
      <Field label="Name" help="For you and your reviewer. Recipients never see it.">
        {(tied) => (
          <Input
            {...tied}
            value={fields.displayName}
            onChange={(event) => setFields({ ...fields, displayName: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description" help="What you send, to whom, and when.">
        {(tied) => (
          <TextArea
            {...tied}
            rows={3}
            value={fields.description}
            onChange={(event) => setFields({ ...fields, description: event.target.value })}
          />
        )}
      </Field>
      <p className="min-h-10 text-sm text-ink-2">
        {prices
          ? `${formatMoney(prices.campaignCreation)} charged now, including the first month. Then ${formatMoney(prices.campaignMonthly)}/month. `
          : ''}
        If your campaign is returned, fix it and resubmit at no extra cost.
      </p>
    </Form>
  )
}

export function NumberStep({ campaign }: Progress) {
  const [areaCode, setAreaCode] = useState('415')
  const [chosen, setChosen] = useState<string | null>(null)
  const isWhole = /^\d{3}$/.test(areaCode)
  const search = useQuery({
    ...searchNumbersQuery({ areaCode, limit: 3, campaign: campaign?.id }),
    enabled: isWhole && Boolean(campaign),
  })
  const found = search.data?.numbers ?? []
  const pick = found.find(({ number }) => number === chosen) ?? found[0]
  const step = useAct((key) => buyNumber(campaign!.id, pick!.number, key))
  return (
    <Form
      step={step}
      label={
        pick?.priceNow === undefined
          ? 'Buy'
          : `Buy ${formatPhone(pick.number)} · ${formatMoney(pick.priceNow)} now`
      }
      busy="Buying…"
      blocked={!pick && 'Choose a number first'}
    >
      <Field label="Area code">
        {(tied) => (
          <Input
            {...tied}
            className="max-w-20"
            inputMode="numeric"
            maxLength={3}
            value={areaCode}
            onChange={(event) => setAreaCode(event.target.value.replace(/\D/g, ''))}
          />
        )}
      </Field>
      <div className="min-h-30">
        {search.error ? (
          <ErrorNotice error={search.error} onRetry={() => void search.refetch()} />
        ) : search.isLoading ? (
          <Skeleton rows={3} />
        ) : found.length === 0 && isWhole ? (
          <p className="text-ink-2">
            No numbers left in or near {areaCode}. Try another area code, such as 628.
          </p>
        ) : (
          <fieldset>
            <legend className="sr-only">Numbers for sale</legend>
            {found.map(({ number, location }) => (
              <label key={number} className="flex min-h-10 cursor-pointer items-center gap-2">
                <input
                  type="radio"
                  name="number"
                  className="size-4 accent-accent"
                  checked={number === pick?.number}
                  onChange={() => setChosen(number)}
                />
                <span className="font-medium">{formatPhone(number)}</span>
                <span className="text-ink-2">{location}</span>
              </label>
            ))}
          </fieldset>
        )}
      </div>
      {pick ? (
        <p className="text-sm text-ink-2">
          Then {formatMoney(pick.monthlyPrice)} with each campaign renewal.
        </p>
      ) : null}
    </Form>
  )
}

export function MessageStep({ campaign, sent }: Progress) {
  const step = useAct((key) => sendFirst(campaign!.id, key))
  const { data: preview } = useQuery(previewQuery(FIRST_TEXT))
  const price = preview ? ` · ${formatMoney(preview.price)}` : ''
  return (
    <Form step={step} label={`Send${price}`} busy="Sending…">
      <p className="rounded-lg bg-bubble-in px-3 py-2">{FIRST_TEXT}</p>
      <p className="text-sm text-ink-2">
        To {formatPhone(FIRST_PHONE)}, the phone on this page.
        {preview
          ? ` ${FIRST_TEXT.length} characters, ${plural(preview.numSegments, 'segment')}.`
          : ''}
      </p>
      {sent ? <p className="text-ink-2">Status: {sent.status.toLowerCase()}.</p> : null}
    </Form>
  )
}

export function ReplyStep() {
  return (
    <p className="text-ink-2">
      Type a reply on the phone and send it. It arrives in your account as a received message.
    </p>
  )
}

interface SentBackProps {
  notes: readonly { field: string; note: string }[]
  children: ReactNode
}

function SentBack({ notes, children }: SentBackProps) {
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn" title={`Returned by the reviewer with ${plural(notes.length, 'note')}`}>
        <ul>
          {notes.map(({ field, note }) => (
            <li key={field} className="wrap-anywhere">
              <span className="font-mono text-sm">{field}</span>: {note}
            </li>
          ))}
        </ul>
      </Notice>
      <div>{children}</div>
    </div>
  )
}
