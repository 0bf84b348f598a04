// Checks whether a delivery is genuine and, if not, why. Runs in the browser while someone types: the secret never
// leaves the page.

import { useEffect, useState } from 'react'
import { checkSignature, readHeaders, type SignatureResult } from '../../lib/check-signature'
import { formatCount } from '../../lib/format'
import { formatDuration } from '../../lib/format-time'
import { Notice } from '../../ui/feedback/Notice'
import { Field, Input, TextArea } from '../../ui/inputs/Field'

interface CheckerProps {
  secret: string
  headers?: string
  body?: string
  /** Room for headers and body side by side. */
  isWide?: boolean
}

export function SignatureChecker({ isWide, ...props }: CheckerProps) {
  const [secret, setSecret] = useState(props.secret)
  const [headers, setHeaders] = useState(props.headers ?? '')
  const [body, setBody] = useState(props.body ?? '')
  const result = useSignatureCheck(secret, headers, body)
  if (!globalThis.crypto.subtle) {
    return (
      <p className="text-ink-2">
        Browsers can check signatures only on HTTPS pages or on localhost.
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <div role="status">{result ? <SignatureNotice result={result} /> : null}</div>
      <div className={`grid gap-3 ${isWide ? 'lg:grid-cols-2' : ''}`}>
        <Field
          label="Headers"
          help="webhook-id, webhook-timestamp, and webhook-signature, one per line."
        >
          {(tied) => (
            <TextArea
              {...tied}
              rows={5}
              spellCheck={false}
              className="font-mono text-sm"
              value={headers}
              onChange={(event) => setHeaders(event.target.value)}
            />
          )}
        </Field>
        <Field label="Body" help="The raw body, before JSON parsing.">
          {(tied) => (
            <TextArea
              {...tied}
              rows={5}
              spellCheck={false}
              className="font-mono text-sm"
              value={body}
              onChange={(event) => setBody(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Field label="Secret" help="Checked in this browser. It never leaves the page.">
        {(tied) => (
          <Input
            {...tied}
            type="password"
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </Field>
    </div>
  )
}

/** Null if nothing was pasted yet. */
function useSignatureCheck(secret: string, headers: string, body: string): SignatureResult | null {
  const [result, setResult] = useState<SignatureResult | null>(null)
  const isEmpty = headers.trim() === '' && body === ''
  useEffect(() => {
    let isLatest = true
    if (isEmpty || !globalThis.crypto.subtle) {
      setResult(null)
      return
    }
    const claim = { secret, headers: readHeaders(headers), body, now: new Date() }
    void checkSignature(claim).then((found) => {
      if (isLatest) setResult(found)
    })
    return () => {
      isLatest = false
    }
  }, [secret, headers, body, isEmpty])
  return result
}

function SignatureNotice({ result }: { result: SignatureResult }) {
  const { tone, title, text } = wordsOf(result)
  return (
    <Notice tone={tone} title={title}>
      {text}
    </Notice>
  )
}

interface Words {
  tone: 'ok' | 'warn' | 'bad'
  title: string
  text?: string
}

const CAUSES = {
  line_end_added: 'The signature matches without the trailing newline.',
  line_ends_changed: 'The signature matches with the original line endings.',
  reformatted: 'A JSON parser rewrote the body. Check the raw bytes instead.',
}

function wordsOf(result: SignatureResult): Words {
  switch (result.kind) {
    case 'valid':
      return { tone: 'ok', title: `Valid, signed ${ago(result.ageS)}` }
    case 'old':
      return {
        tone: 'warn',
        title: `The timestamp is ${formatDuration(result.ageS)} old. Receivers should reject timestamps that are off by more than 5 minutes.`,
        text: 'The signature itself is valid.',
      }
    case 'ahead':
      return {
        tone: 'warn',
        title: `The timestamp is ${formatDuration(result.byS)} in the future. A clock is wrong.`,
        text: 'The signature itself is valid. Receivers should reject timestamps that are off by more than 5 minutes.',
      }
    case 'body_changed':
      return {
        tone: 'bad',
        title: `The body was changed: ${formatCount(result.was)} bytes were sent, but this body has ${formatCount(result.is)}`,
        ...(result.cause && { text: CAUSES[result.cause] }),
      }
    case 'other_secret':
      return {
        tone: 'bad',
        title: 'Signed with a different secret',
        text: `Or the ID, timestamp, or body was changed${result.isSizeKnown ? ' (the size of the body stayed the same)' : ''}. Deliveries from before a rotation are signed with the previous secret.`,
      }
    case 'missing':
      return { tone: 'warn', title: `The ${result.header} header is missing` }
    case 'bad_secret':
      return {
        tone: 'warn',
        title: 'This is not a webhook secret. Secrets start with whsec_ followed by base64.',
      }
    case 'bad_timestamp':
      return { tone: 'bad', title: 'webhook-timestamp is not a time in seconds' }
  }
}

function ago(seconds: number): string {
  return seconds < 1 ? 'just now' : `${formatDuration(Math.floor(seconds))} ago`
}
