// The endpoint's response to an attempt, as far as it is stored.

import type { DeliveryAttemptInFull } from '../../../generated/types.gen'
import { bytesOf } from '../../lib/check-signature'
import { plural } from '../../lib/format'
import { CodeBlock } from '../../ui/display/CodeBlock'

/** Only this much of a response is stored. */
const KEPT_BYTES = 1024

export function Answer({ attempt }: { attempt: DeliveryAttemptInFull }) {
  const { responseCode, durationMs, responseBody, error } = attempt
  const bytes = bytesOf(responseBody ?? '')
  return (
    <div className="flex flex-col gap-2">
      <p>
        {responseCode === null ? 'No response' : <strong>{responseCode}</strong>} in {durationMs} ms
      </p>
      {error ? <p className="wrap-anywhere text-ink-2">{error}</p> : null}
      {responseBody ? (
        <>
          <p className="text-sm text-ink-2">
            {bytes >= KEPT_BYTES ? 'First 1 KiB of the response' : plural(bytes, 'byte')}
          </p>
          <CodeBlock
            text={responseBody}
            label="response"
            language={/^\s*[{[]/.test(responseBody) ? 'json' : 'text'}
          />
        </>
      ) : responseCode === null ? null : (
        <p className="text-ink-2">Empty response body.</p>
      )}
    </div>
  )
}
