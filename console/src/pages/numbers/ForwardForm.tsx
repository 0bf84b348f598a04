// Where calls to a number ring. Texts are not forwarded, and the form notes that.

import { useState } from 'react'
import { ApiFailure } from '../../api/request'
import { formatPhone, readPhone } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import { fieldSentence, setForwarding } from './number-acts'

interface ForwardFormProps {
  phone: string
  forwardNumber: string | null
  onDone: (text: string) => void
}

export function ForwardForm({ phone, forwardNumber, onDone }: ForwardFormProps) {
  const [text, setText] = useState(forwardNumber ? formatPhone(forwardNumber) : '')
  const save = useAct((key, target: string | null) => setForwarding(phone, target, key), {
    onDone: (_, target) => {
      setText(target === null ? '' : formatPhone(target))
      onDone(
        target === null
          ? 'Call forwarding is off.'
          : `Calls are now forwarded to ${formatPhone(target)}.`,
      )
    },
  })
  const problem =
    save.error instanceof ApiFailure ? fieldSentence(save.error, 'forwardNumber') : null
  const target = text.trim() === '' ? null : readPhone(text)
  const isSame = target === forwardNumber
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isSame) save.run(target)
      }}
    >
      <Field label="Forward calls to" help="Texts are not forwarded." error={problem}>
        {(tied) => (
          <Input
            {...tied}
            type="tel"
            autoComplete="off"
            className="max-w-60"
            maxLength={30}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {save.error && !problem ? <ErrorNotice error={save.error} isAnswer /> : null}
      <div className="flex flex-wrap gap-2">
        <Button
          look="filled"
          type="submit"
          busy={save.isBusy && 'Saving…'}
          blocked={
            isSame &&
            (target === null ? 'Enter a number first' : 'Calls are already forwarded there')
          }
        >
          Save forwarding
        </Button>
        {forwardNumber ? (
          <Button onClick={() => save.run(null)} blocked={save.isBusy && 'Saving…'}>
            Stop forwarding
          </Button>
        ) : null}
      </div>
    </form>
  )
}
