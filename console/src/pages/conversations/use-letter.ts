// The message being written to one person, saved in this browser until it is sent. A message that could not be sent
// stays too. Retrying it uses the same key, so it is sent and charged once.

import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { request } from '../../api/request'
import { newKey } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'

export interface Letter {
  body: string
  write: (body: string) => void
  send: () => void
  isSending: boolean
  /** The text that was not sent, and the error. The error is lost after a reload. */
  unsent: string
  error: Error | null
  retry: () => void
  edit: () => void
}

export function useLetter(campaign: string, to: string): Letter {
  const [{ body, unsent }, setFields] = useDraft(`conversation:${campaign}:${to}`, {
    body: '',
    unsent: '',
  })
  const keyed = useRef({ text: '', key: '' })
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (text: string) => {
      // An edited text is a different message.
      if (keyed.current.text !== text) keyed.current = { text, key: newKey() }
      return request('POST /v1/message/send', {
        body: { campaign, to, body: text },
        key: keyed.current.key,
      })
    },
    onSuccess: (_, text) => {
      keyed.current = { text: '', key: '' }
      setFields(text === unsent ? { body, unsent: '' } : { body: '', unsent })
    },
    onError: (_, text) => {
      if (text !== unsent) setFields({ body: '', unsent: text })
    },
  })
  const send = (text: string) => {
    if (!isPending && text.trim() !== '') mutate(text)
  }
  return {
    body,
    write: (text) => setFields({ body: text, unsent }),
    send: () => send(body),
    isSending: isPending,
    unsent,
    error: variables === unsent ? error : null,
    retry: () => send(unsent),
    edit: () => setFields({ body: body === '' ? unsent : `${unsent}\n${body}`, unsent: '' }),
  }
}
