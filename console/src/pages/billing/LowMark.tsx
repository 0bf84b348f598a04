// The low-balance alert: shown, changed, removed.

import { type FormEvent, useState } from 'react'
import { ApiFailure, request } from '../../api/request'
import { formatMoney } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'

const setMark = (lowBalanceThreshold: number | null, key: string) =>
  request('PATCH /v1/account', { body: { lowBalanceThreshold }, key })

export function LowMark({ mark }: { mark: number | null }) {
  const [isOpen, setOpen] = useState(false)
  if (isOpen) return <MarkForm mark={mark} onClose={() => setOpen(false)} />
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {mark === null ? 'None' : formatMoney(mark)}
      <Button look="quiet" onClick={() => setOpen(true)}>
        {mark === null ? 'Set alert' : 'Change'}
      </Button>
    </span>
  )
}

function MarkForm({ mark, onClose }: { mark: number | null; onClose: () => void }) {
  const [text, setText] = useState(mark === null ? '' : String(mark))
  const save = useAct((key, dollars: number | null) => setMark(dollars, key), { onDone: onClose })
  const dollars = Number(text.replace(/[$,\s]/g, ''))
  const isAmount = text.trim() !== '' && Number.isFinite(dollars)
  const problem =
    save.error instanceof ApiFailure && save.error.status === 400 ? save.error.details[0] : null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isAmount) save.run(dollars)
  }
  return (
    <form className="flex flex-col gap-2 text-base font-normal" onSubmit={submit}>
      <Field
        label="Low-balance alert, in dollars"
        help="Below this balance, the console shows a warning and you get a balance event."
        error={problem ? `The amount ${problem.problem}.` : null}
      >
        {(tied) => (
          <Input
            {...tied}
            inputMode="decimal"
            autoComplete="off"
            maxLength={14}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {save.error && !problem ? <ErrorNotice error={save.error} isAnswer /> : null}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          busy={save.isBusy && 'Saving…'}
          blocked={!isAmount && 'Enter an amount first'}
        >
          Save
        </Button>
        {mark === null ? null : (
          <Button onClick={() => save.run(null)} blocked={save.isBusy && 'Saving…'}>
            Remove
          </Button>
        )}
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
