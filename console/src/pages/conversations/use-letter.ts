// What is being written to one person: kept in this browser until it was sent. What could not be sent stays
// too, apart from what is typed next; trying it again sends the same key, so it is sent and charged once.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { SendMessageReply } from '../../../generated/types.gen'
import { call } from '../../api/call'
import { newKey } from '../../lib/use-act'
import { useDraft } from '../../lib/use-draft'

export interface Letter {
  body: string
  write: (body: string) => void
  send: () => void
  isSending: boolean
  /** The text that was not sent, and why; the why is gone after a reload. */
  unsent: string
  error: Error | null
  retry: () => void
  edit: () => void
}

export function useLetter(campaign: string, to: string): Letter {
  const client = useQueryClient()
  const [{ body, unsent }, setFields] = useDraft(`conversation:${campaign}:${to}`, {
    body: '',
    unsent: '',
  })
  const keyed = useRef({ text: '', key: '' })
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (text: string) => {
      // A text that was changed is another message.
      if (keyed.current.text !== text) keyed.current = { text, key: newKey() }
      return call<SendMessageReply>('POST', '/v1/message/send', {
        body: { campaign, to, body: text },
        idempotencyKey: keyed.current.key,
      })
    },
    onSuccess: (_, text) => {
      keyed.current = { text: '', key: '' }
      setFields(text === unsent ? { body, unsent: '' } : { body: '', unsent })
    },
    onError: (_, text) => {
      if (text !== unsent) setFields({ body: '', unsent: text })
    },
    // An opt-out that came meanwhile closes the composer at once.
    onSettled: () => {
      for (const name of ['conversations', 'optouts', 'messages', 'account']) {
        void client.invalidateQueries({ queryKey: [name] })
      }
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
