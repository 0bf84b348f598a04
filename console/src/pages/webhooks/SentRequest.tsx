// The request of an attempt: headers in the order sent, and the exact body. It can be formatted for reading, and the
// page shows which version is visible.

import { useState } from 'react'
import type { DeliveryAttemptInFull } from '../../../generated/types.gen'
import { bytesOf } from '../../lib/check-signature'
import { formatCount } from '../../lib/format'
import { formatExact, formatLocal } from '../../lib/format-time'
import { headersText } from '../../lib/sent-request'
import { CodeBlock } from '../../ui/display/CodeBlock'

interface RequestProps {
  attempt: DeliveryAttemptInFull
  body: string | null
}

export function SentRequest({ attempt: { request, at }, body }: RequestProps) {
  if (request === null || body === null) {
    return (
      <p className="text-ink-2">
        No longer available. The message may have been redacted or deleted.
      </p>
    )
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
        <CodeBlock text={headersText(request)} label="headers" />
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
        <h3 className="text-sm font-medium">Body, {isFormatted ? 'formatted' : 'as sent'}</h3>
        <span className="text-sm text-ink-2">{formatCount(bytesOf(body))} bytes</span>
        <button
          type="button"
          aria-pressed={isFormatted}
          onClick={() => setFormatted(!isFormatted)}
          className="ml-auto min-h-6 cursor-pointer rounded-md px-2 text-sm text-accent-ink hover:bg-hover pointer-coarse:min-h-11"
        >
          {isFormatted ? 'Show as sent' : 'Format'}
        </button>
      </div>
      <CodeBlock text={isFormatted ? formatted(body) : body} label="body" language="json" />
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
