// When to send: now, or at a time in the reader's time zone, which is named. Sent as UTC.

import type { Dispatch } from 'react'
import { formatUtc } from '../../lib/format-time'
import { fromLocalInput, toLocalInput, zoneName } from '../../lib/local-time'
import { useServiceNow } from '../../lib/service-time'
import { Field, Input, Radio } from '../../ui/inputs/Field'
import { type Fields, timeProblem } from './fields'

interface WhenProps {
  fields: Fields
  error: string | null
  set: Dispatch<Partial<Fields>>
}

export function When({ fields, error, set }: WhenProps) {
  const now = useServiceNow()
  const { isLater, at } = fields
  const moment = fromLocalInput(at)
  const choose = () => set({ isLater: true, at: at || toLocalInput(nextHour(now)) })
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">When</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Radio
          name="when"
          label="Now"
          isChecked={!isLater}
          onChange={() => set({ isLater: false })}
        />
        <Radio name="when" label="Schedule" isChecked={isLater} onChange={choose} />
      </div>
      {isLater ? (
        <Field
          label="Date and time"
          help={`Your time zone (${zoneName()})${moment ? `: ${utcMinute(moment)}` : ''}`}
          error={error ?? (at ? timeProblem(fields, now) : null)}
        >
          {(tied) => (
            <Input
              {...tied}
              type="datetime-local"
              className="max-w-60"
              min={toLocalInput(now)}
              value={at}
              onChange={(event) => set({ at: event.target.value })}
            />
          )}
        </Field>
      ) : null}
    </fieldset>
  )
}

/** 2026-11-18 17:00 UTC */
function utcMinute(moment: Date): string {
  return formatUtc(moment).replace(/:\d\d\.\d+ /, ' ')
}

function nextHour(now: Date): Date {
  const hour = 3_600_000
  return new Date(Math.ceil((now.getTime() + hour / 4) / hour) * hour)
}
