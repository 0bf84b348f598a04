// The message being written to one person, saved in this browser until it is sent. A message that could not be sent
// stays too. Retrying it uses the same key, so it is sent and charged once.

import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { request } from '../../../api/request'
import { newKey } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'

/** What is sent: a text, and the URLs of uploaded pictures. */
interface LetterContent {
  body: string
  media: readonly string[]
}

export interface Letter extends LetterContent {
  write: (change: Partial<LetterContent>) => void
  send: () => void
  isSending: boolean
  /** What was not sent, and the error. The error is lost after a reload. */
  unsent: LetterContent | null
  error: Error | null
  retry: () => void
  edit: () => void
}

interface Fields extends LetterContent {
  unsent: string
  unsentMedia: readonly string[]
}

const EMPTY: Fields = { body: '', media: [], unsent: '', unsentMedia: [] }

export function useLetter(campaign: string, to: string): Letter {
  const [fields, setFields] = useDraft<Fields>(`conversation:${campaign}:${to}`, EMPTY)
  const { body, media } = fields
  const unsent = fields.unsent === '' ? null : { body: fields.unsent, media: fields.unsentMedia }
  const keyed = useRef({ text: '', key: '' })
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (written: LetterContent) => {
      // An edited text is a different message.
      const text = JSON.stringify(written)
      if (keyed.current.text !== text) keyed.current = { text, key: newKey() }
      const { body: content, media: mediaUrls } = written
      return request('POST /v1/message/send', {
        body: { campaign, to, body: content, ...(mediaUrls.length > 0 && { mediaUrls }) },
        key: keyed.current.key,
      })
    },
    onSuccess: (_, written) => {
      keyed.current = { text: '', key: '' }
      const isRetry = isSame(written, unsent)
      setFields(isRetry ? { ...EMPTY, body, media } : { ...fields, body: '', media: [] })
    },
    onError: (_, written) => {
      if (isSame(written, unsent)) return
      setFields({ ...EMPTY, unsent: written.body, unsentMedia: written.media })
    },
  })
  const send = (written: LetterContent | null) => {
    if (!isPending && written && written.body.trim() !== '') mutate(written)
  }
  const editUnsent = () => {
    const again = unsent ?? { body: '', media: [] }
    const text = body === '' ? again.body : `${again.body}\n${body}`
    setFields({ ...EMPTY, body: text, media: [...again.media, ...media] })
  }
  return {
    ...{ body, media, unsent },
    write: (change) => setFields({ ...fields, ...change }),
    send: () => send({ body, media }),
    isSending: isPending,
    error: isSame(variables, unsent) ? error : null,
    retry: () => send(unsent),
    edit: editUnsent,
  }
}

function isSame(a: LetterContent | undefined, b: LetterContent | null): boolean {
  return a !== undefined && b !== null && JSON.stringify(a) === JSON.stringify(b)
}
