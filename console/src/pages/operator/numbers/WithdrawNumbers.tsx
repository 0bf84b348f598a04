// Withdraws numbers from sale. Numbers in use must be released first.

import { type FormEvent, useState } from 'react'
import { ApiFailure, request } from '../../../api/request'
import { plural, readPhone } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { Confirm } from '../../../ui/feedback/Dialog'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, TextArea } from '../../../ui/inputs/Field'

export function WithdrawNumbers() {
  const [text, setText] = useState('')
  const [isAsking, setAsking] = useState(false)
  const numbers = text
    .split(/[\n,;]+/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(readPhone)
  const withdraw = useAct(
    (key) => request('POST /operator/v1/number/withdraw', { body: { numbers }, key }),
    {
      onDone: ({ withdrawn }) => {
        setAsking(false)
        setText('')
        toast(`${plural(withdrawn, 'number')} withdrawn`)
      },
    },
  )
  const details = withdraw.error instanceof ApiFailure ? withdraw.error.details : []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    withdraw.reset()
    if (numbers.length > 0) setAsking(true)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field label="Numbers" help="One per line. All or nothing.">
        {(tied) => (
          <TextArea
            {...tied}
            rows={3}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {withdraw.error && !isAsking ? (
        details.length > 0 ? (
          <ul aria-label="Numbers that cannot be withdrawn" className="text-sm text-bad-ink">
            {details.map(({ field, problem }) => (
              <li key={field}>{problem}</li>
            ))}
          </ul>
        ) : (
          <ErrorNotice error={withdraw.error} isAnswer />
        )
      ) : null}
      <div>
        <Button type="submit" blocked={numbers.length === 0 && 'Enter a number first'}>
          Withdraw{numbers.length > 0 ? ` ${plural(numbers.length, 'number')}` : ''}
        </Button>
      </div>
      {isAsking ? (
        <Confirm
          title={`Withdraw ${plural(numbers.length, 'number')}?`}
          consequence="Customers can no longer find or buy them. To undo this, import them again."
          verb={`Withdraw ${plural(numbers.length, 'number')}`}
          isDanger
          busy={withdraw.isBusy && 'Withdrawing…'}
          error={withdraw.error}
          onConfirm={() => withdraw.run()}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </form>
  )
}
