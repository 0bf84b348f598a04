// The request of an attempt: headers in the order in which they were sent, and the body as its bytes were.
// Formatted it is easier to read; which of the two is shown is always said.

import { useState } from 'react'
import type { DeliveryAttemptInFull } from '../../../generated/types.gen'
import { bytesOf } from '../../lib/check-signature'
import { formatCount } from '../../lib/format'
import { formatExact, formatLocal } from '../../lib/format-time'
import { headersText } from '../../lib/sent-request'
import { CodeBlock } from '../../ui/CodeBlock'

interface RequestProps {
  attempt: DeliveryAttemptInFull
  body: string | null
}

export function SentRequest({ attempt: { request, at }, body }: RequestProps) {
  if (request === null || body === null) {
    return <p className="text-ink-2">Redacted with the texts of its message.</p>
  }
  const moment = new Date(at)
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm wrap-anywhere">
        <span className="font-medium">{request.method}</span> {request.url}{' '}
        <time dateTime={at} title={formatLocal(moment)} className="text-ink-2">
          at {formatExact(moment)}
        </time>
      </p>
      <section>
        <h3 className="mb-1 text-sm font-medium">Headers, in the order sent</h3>
        <CodeBlock text={headersText(request)} label="the headers" />
      </section>
      <Body body={body} />
    </div>
  )
}

function Body({ body }: { body: string }) {
  const [isFormatted, setFormatted] = useState(false)
  return (
    <section>
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-medium">
          Body, {isFormatted ? 'formatted for reading' : 'as it was sent'}
        </h3>
        <span className="text-sm text-ink-2">{formatCount(bytesOf(body))} bytes</span>
        <button
          type="button"
          aria-pressed={isFormatted}
          onClick={() => setFormatted(!isFormatted)}
          className="ml-auto min-h-6 cursor-pointer rounded-md px-2 text-sm text-accent-ink hover:bg-hover pointer-coarse:min-h-11"
        >
          {isFormatted ? 'As it was sent' : 'Format'}
        </button>
      </div>
      <CodeBlock text={isFormatted ? formatted(body) : body} label="the body" language="json" />
    </section>
  )
}

function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
