// What the endpoint said to an attempt, as far as it is kept.

import type { DeliveryAttemptInFull } from '../../../generated/types.gen'
import { bytesOf } from '../../lib/check-signature'
import { plural } from '../../lib/format'
import { CodeBlock } from '../../ui/CodeBlock'

/** No more of an answer is kept. */
const KEPT_BYTES = 1024

export function Answer({ attempt }: { attempt: DeliveryAttemptInFull }) {
  const { responseCode, durationMs, responseBody, error } = attempt
  const bytes = bytesOf(responseBody ?? '')
  return (
    <div className="flex flex-col gap-2">
      <p>
        {responseCode === null ? 'No answer' : <strong>{responseCode}</strong>} in {durationMs} ms
      </p>
      {error ? <p className="wrap-anywhere text-ink-2">{error}</p> : null}
      {responseBody ? (
        <>
          <p className="text-sm text-ink-2">
            {bytes >= KEPT_BYTES ? 'The first 1 KiB of the answer' : plural(bytes, 'byte')}
          </p>
          <CodeBlock
            text={responseBody}
            label="the answer"
            language={/^\s*[{[]/.test(responseBody) ? 'json' : 'text'}
          />
        </>
      ) : responseCode === null ? null : (
        <p className="text-ink-2">It said nothing more.</p>
      )}
    </div>
  )
}
