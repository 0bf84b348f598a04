// The fields of a webhook, new or edited: URL, events, numbers, and name.

import { useQuery } from '@tanstack/react-query'
import { campaignNumbersQuery } from '../../api/registry-queries'
import { ApiFailure } from '../../api/request'
import { useSession } from '../../api/session'
import { EVENT_KINDS, type WebhookEventType } from '../../lib/describe-webhook'
import { formatPhone } from '../../lib/format'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Checkbox, Field, Input, Radio } from '../../ui/inputs/Field'
import { Skeleton } from '../../ui/layout/Page'

export interface WebhookFields {
  url: string
  name: string
  eventTypes: WebhookEventType[]
  /** keep: unchanged, for a webhook that is edited. */
  scope: 'keep' | 'all' | 'some'
  numbers: string[]
}

interface FormProps {
  campaignId: string
  fields: WebhookFields
  onChange: (fields: WebhookFields) => void
  error: Error | null
  /** How many numbers it has now, if it is edited. */
  numbersNow?: number
}

/** As the API accepts it. Numbers are sent only if they are chosen again. */
export function bodyOf({ url, name, eventTypes, scope, numbers }: WebhookFields) {
  return {
    name: name.trim() || null,
    url: url.trim(),
    eventTypes,
    ...(scope !== 'keep' && { numbers: scope === 'all' ? null : numbers }),
  }
}

function problemOf(error: Error | null, field: string): string | null {
  if (!(error instanceof ApiFailure)) return null
  const found = error.details.find(
    (detail) => detail.field === field || detail.field.startsWith(`${field}[`),
  )
  return found ? `${found.field} ${found.problem}.` : null
}

export function WebhookForm(props: FormProps) {
  const { fields, onChange, error } = props
  const set = (change: Partial<WebhookFields>) => onChange({ ...fields, ...change })
  return (
    <div className="flex flex-col gap-4">
      <Address url={fields.url} error={error} onChange={(url) => set({ url })} />
      <Events
        chosen={fields.eventTypes}
        problem={problemOf(error, 'eventTypes')}
        onChange={(eventTypes) => set({ eventTypes })}
      />
      <Numbers {...props} />
      <Field label="Name" isOptional error={problemOf(error, 'name')} help="Shown in lists.">
        {(tied) => (
          <Input
            {...tied}
            maxLength={100}
            value={fields.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      {error && !isAtField(error) ? <ErrorNotice error={error} isAnswer /> : null}
    </div>
  )
}

function isAtField(error: Error): boolean {
  return ['url', 'eventTypes', 'numbers', 'name'].some((field) => problemOf(error, field))
}

interface AddressProps {
  url: string
  error: Error | null
  onChange: (url: string) => void
}

function Address({ url, error, onChange }: AddressProps) {
  const { mode } = useSession()
  const problem = problemOf(error, 'url')
  const isPrivate = problem?.includes('public address')
  return (
    <div className="flex flex-col gap-1">
      <Field
        label="URL"
        help={
          mode === 'sandbox'
            ? 'Events are sent here as POST requests. In the sandbox, it can be on this machine: http://localhost:3000/hook'
            : 'Events are sent here as POST requests. It must be a public address.'
        }
        error={problem}
      >
        {(tied) => (
          <Input
            {...tied}
            type="url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            maxLength={2000}
            placeholder="https://example.com/hooks/sms"
            value={url}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      {isPrivate ? (
        <p className="text-sm text-ink-2">
          In production, webhooks go only to public addresses, so nobody can send requests into this
          service’s network.
        </p>
      ) : null}
    </div>
  )
}

interface EventsProps {
  chosen: readonly WebhookEventType[]
  problem: string | null
  onChange: (chosen: WebhookEventType[]) => void
}

function Events({ chosen, problem, onChange }: EventsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Events</legend>
      {EVENT_KINDS.map(({ type, tells }) => (
        <Checkbox
          key={type}
          label={<span className="font-mono text-sm">{type}</span>}
          help={tells}
          isChecked={chosen.includes(type)}
          onChange={(isChecked) =>
            onChange(isChecked ? [...chosen, type] : chosen.filter((one) => one !== type))
          }
        />
      ))}
      {problem ? <p className="text-sm text-bad-ink">{problem}</p> : null}
    </fieldset>
  )
}

function Numbers({ campaignId, fields, onChange, error, numbersNow }: FormProps) {
  const set = (scope: WebhookFields['scope']) => onChange({ ...fields, scope })
  const problem = problemOf(error, 'numbers')
  const name = 'webhook-numbers'
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Numbers</legend>
      {numbersNow === undefined ? null : (
        <Radio
          name={name}
          label={`Keep current (${numbersNow})`}
          isChecked={fields.scope === 'keep'}
          onChange={() => set('keep')}
        />
      )}
      <Radio
        name={name}
        label="All of the campaign’s numbers, including future ones"
        isChecked={fields.scope === 'all'}
        onChange={() => set('all')}
      />
      <Radio
        name={name}
        label="Selected numbers"
        isChecked={fields.scope === 'some'}
        onChange={() => set('some')}
      />
      {fields.scope === 'some' ? (
        <NumberChoice
          campaignId={campaignId}
          chosen={fields.numbers}
          onChange={(numbers) => onChange({ ...fields, numbers })}
        />
      ) : null}
      {problem ? <p className="text-sm text-bad-ink">{problem}</p> : null}
    </fieldset>
  )
}

interface NumberChoiceProps {
  campaignId: string
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

function NumberChoice({ campaignId, chosen, onChange }: NumberChoiceProps) {
  const { data, error, refetch } = useQuery({
    ...campaignNumbersQuery(campaignId),
    enabled: campaignId !== '',
  })
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={2} height={24} />
  if (data.numbers.length === 0)
    return <p className="text-ink-2">The campaign has no numbers yet.</p>
  return (
    <div className="ml-6 flex max-h-48 flex-col gap-2 overflow-y-auto">
      {data.numbers.map(({ phoneNumber }) => (
        <Checkbox
          key={phoneNumber}
          label={formatPhone(phoneNumber)}
          isChecked={chosen.includes(phoneNumber)}
          onChange={(isChecked) =>
            onChange(
              isChecked ? [...chosen, phoneNumber] : chosen.filter((one) => one !== phoneNumber),
            )
          }
        />
      ))}
    </div>
  )
}
