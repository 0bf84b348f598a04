// A test call to the number in the sandbox: what the caller heard, and the SIP exchange behind it.

import { useState } from 'react'
import type { PlaceCallReply } from '../../../generated/types.gen'
import { placeCall } from '../../api/number-call-queries'
import { ApiFailure } from '../../api/request'
import { formatPhone, readPhone } from '../../lib/format'
import { FIRST_PHONE } from '../../lib/sandbox'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { CodeBlock } from '../../ui/display/CodeBlock'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input } from '../../ui/inputs/Field'
import { fieldSentence } from './number-acts'

interface CallNumberProps {
  phone: string
  onDone: () => void
}

export function CallNumber({ phone, onDone }: CallNumberProps) {
  const [text, setText] = useState(formatPhone(FIRST_PHONE))
  const from = readPhone(text)
  const act = useAct((key, caller: string) => placeCall(phone, caller, key), { onDone })
  const problem = act.error instanceof ApiFailure ? fieldSentence(act.error, 'from') : null
  return (
    <section aria-label="Call this number" className="flex flex-col gap-3">
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          act.run(from)
        }}
      >
        <div className="w-60 max-w-full">
          <Field label="Test call from" error={problem}>
            {(tied) => (
              <Input
                {...tied}
                type="tel"
                autoComplete="off"
                maxLength={30}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" busy={act.isBusy && 'Calling…'}>
          Call this number
        </Button>
        <ApiRequestButton
          request={{ method: 'POST', path: '/sandbox/call', body: { to: phone, from } }}
        />
      </form>
      {act.error && !problem ? <ErrorNotice error={act.error} isAnswer /> : null}
      {act.reply && !act.error ? <CallResult placed={act.reply} /> : null}
    </section>
  )
}

function CallResult({
  placed: { status, reason, heard, request, response },
}: {
  placed: PlaceCallReply
}) {
  return (
    <div className="flex flex-col gap-1">
      <Notice tone={status === 302 ? 'ok' : 'warn'} title={heard} isAnswer>
        {status} {reason}
      </Notice>
      <details>
        <summary className="min-h-8 cursor-pointer py-1 text-sm font-medium text-accent-ink pointer-coarse:min-h-11">
          SIP exchange
        </summary>
        <div className="mt-1 grid gap-x-8 gap-y-3 lg:grid-cols-2">
          <Side name="Request from the trunk" text={request} />
          <Side name="Our response" text={response} />
        </div>
      </details>
    </div>
  )
}

function Side({ name, text }: { name: string; text: string }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-sm font-medium">{name}</h3>
      <CodeBlock text={text.replaceAll('\r\n', '\n').trimEnd()} label={name.toLowerCase()} />
    </section>
  )
}
