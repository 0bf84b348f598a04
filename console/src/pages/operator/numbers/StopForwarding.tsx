// Call forwarding of one number, for any account: stopped when calls go where they should not, and allowed again later.

import { type FormEvent, useState } from 'react'
import type { ForwardingStop } from '../../../../generated/types.gen'
import { request } from '../../../api/request'
import { formatPhone, readPhone } from '../../../lib/format'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { Notice } from '../../../ui/feedback/Notice'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input } from '../../../ui/inputs/Field'
import { ReasonConfirm } from '../ReasonConfirm'

type Change = 'stop' | 'allow'

const QUESTIONS = {
  stop: {
    verb: 'Stop forwarding',
    consequence:
      'Its target is removed on every node within a second, and the customer cannot set another one until you allow it again. The removed target stays in the audit log.',
  },
  allow: {
    verb: 'Allow forwarding',
    consequence: 'The customer can set a target again. The previous one is not restored.',
  },
} as const

export function StopForwarding() {
  const [text, setText] = useState('')
  const [confirming, setConfirming] = useState<Change | null>(null)
  const [done, setDone] = useState<ForwardingStop | null>(null)
  const number = readPhone(text)
  const blocked = text.trim() === '' && 'Enter a number first'
  const ask = (change: Change) => {
    setDone(null)
    if (!blocked) setConfirming(change)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask('stop')
  }
  const save = async (key: string, reason: string) => {
    const input = { path: { number }, body: { reason }, key }
    setDone(await request(`POST /operator/v1/number/{number}/forwarding/${confirming!}`, input))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label="Number"
        help="Any customer’s number. Other calls and messages are not affected."
      >
        {(tied) => (
          <Input
            {...tied}
            inputMode="tel"
            placeholder="+14152004000"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {done ? <Outcome {...done} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" blocked={blocked}>
          Stop forwarding
        </Button>
        <Button onClick={() => ask('allow')} blocked={blocked}>
          Allow forwarding
        </Button>
        <ApiRequestButton
          request={{
            method: 'POST',
            path: `/operator/v1/number/${encodeURIComponent(number || '+14152004000')}/forwarding/stop`,
            body: { reason: 'Toll fraud' },
          }}
        />
      </div>
      {confirming ? (
        <ReasonConfirm
          title={`${QUESTIONS[confirming].verb} for ${formatPhone(number)}?`}
          {...QUESTIONS[confirming]}
          isDanger={confirming === 'stop'}
          act={save}
          onDone={() => setText('')}
          onClose={() => setConfirming(null)}
        />
      ) : null}
    </form>
  )
}

function Outcome({ phoneNumber, isStopped }: ForwardingStop) {
  const number = formatPhone(phoneNumber)
  return isStopped ? (
    <Notice tone="warn" title={`Calls to ${number} are no longer forwarded.`} isAnswer />
  ) : (
    <Notice tone="go" title={`The customer can forward calls to ${number} again.`} isAnswer />
  )
}
