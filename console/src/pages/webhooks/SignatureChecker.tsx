// Is this delivery genuine, and if not, why not? Checked in the browser while one types: the secret leaves
// neither the page nor the memory of it.

import { useEffect, useState } from 'react'
import { checkSignature, readHeaders, type Verdict } from '../../lib/check-signature'
import { formatCount } from '../../lib/format'
import { formatDuration } from '../../lib/format-time'
import { Field, Input, TextArea } from '../../ui/Field'
import { Notice } from '../../ui/Notice'

interface CheckerProps {
  secret: string
  headers?: string
  body?: string
  /** Room for headers and body beside each other. */
  isWide?: boolean
}

export function SignatureChecker({ isWide, ...props }: CheckerProps) {
  const [secret, setSecret] = useState(props.secret)
  const [headers, setHeaders] = useState(props.headers ?? '')
  const [body, setBody] = useState(props.body ?? '')
  const verdict = useSignatureCheck(secret, headers, body)
  if (!globalThis.crypto.subtle) {
    return (
      <p className="text-ink-2">
        Browsers check signatures only on pages that came over https, or from this machine.
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <div role="status">{verdict ? <SignatureNotice verdict={verdict} /> : null}</div>
      <div className={`grid gap-3 ${isWide ? 'lg:grid-cols-2' : ''}`}>
        <Field
          label="Headers"
          help="webhook-id, webhook-timestamp and webhook-signature, a line each."
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
        <Field label="Body" help="As it came, before any JSON parser has touched it.">
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
      <Field label="Secret" help="Checked in this browser: it never leaves the page.">
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

/** Null where nothing was pasted yet. */
function useSignatureCheck(secret: string, headers: string, body: string): Verdict | null {
  const [verdict, setDecision] = useState<Verdict | null>(null)
  const isEmpty = headers.trim() === '' && body === ''
  useEffect(() => {
    let isLatest = true
    if (isEmpty || !globalThis.crypto.subtle) {
      setDecision(null)
      return
    }
    const claim = { secret, headers: readHeaders(headers), body, now: new Date() }
    void checkSignature(claim).then((found) => {
      if (isLatest) setDecision(found)
    })
    return () => {
      isLatest = false
    }
  }, [secret, headers, body, isEmpty])
  return verdict
}

function SignatureNotice({ verdict }: { verdict: Verdict }) {
  const { tone, title, text } = wordsOf(verdict)
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
  line_end_added: 'Without the line end at its end it is right.',
  line_ends_changed: 'With the line ends as they were sent it is right.',
  reformatted: 'A JSON parser has written it anew: check the bytes as they came.',
}

function wordsOf(verdict: Verdict): Words {
  switch (verdict.kind) {
    case 'valid':
      return { tone: 'ok', title: `Valid, signed ${ago(verdict.ageS)}` }
    case 'old':
      return {
        tone: 'warn',
        title: `The time stamp is ${formatDuration(verdict.ageS)} old: receivers should refuse over 5 min`,
        text: 'The signature itself is right.',
      }
    case 'ahead':
      return {
        tone: 'warn',
        title: `The time stamp is ${formatDuration(verdict.byS)} ahead: a clock is wrong`,
        text: 'The signature itself is right. Receivers should refuse over 5 min.',
      }
    case 'body_changed':
      return {
        tone: 'bad',
        title: `The body was changed: it was ${formatCount(verdict.was)} bytes, this is ${formatCount(verdict.is)}`,
        ...(verdict.cause && { text: CAUSES[verdict.cause] }),
      }
    case 'other_secret':
      return {
        tone: 'bad',
        title: 'Signed with another secret',
        text: `Or the id, the time stamp or the body was changed${verdict.isSizeKnown ? ' without changing its size' : ''}. After a rotation, what was sent before it is signed with the former secret.`,
      }
    case 'missing':
      return { tone: 'warn', title: `The header ${verdict.header} is missing` }
    case 'bad_secret':
      return { tone: 'warn', title: 'This is no secret of a webhook: whsec_ and base64' }
    case 'bad_timestamp':
      return { tone: 'bad', title: 'webhook-timestamp is no time in seconds' }
  }
}

function ago(seconds: number): string {
  return seconds < 1 ? 'just now' : `${formatDuration(Math.floor(seconds))} ago`
}
