// Queries of the Send pages: what we know about the recipient, and the sends themselves.

import { queryOptions } from '@tanstack/react-query'
import type { Message, SendBatchBody, SendMessageBody } from '../../generated/types.gen'
import type { BlockAnswer } from '../lib/batch/run'
import { request } from './request'

export interface KnownRecipient {
  lastMessage: Message | null
  /** Null if the recipient can receive messages. */
  optedOut: { at: string; how: string | null } | null
}

/** What we know about a recipient in a campaign: the last message, and whether they opted out. */
export function recipientQuery(campaign: string, phone: string) {
  return queryOptions({
    queryKey: ['conversations', 'recipient', campaign, phone],
    queryFn: async ({ signal }): Promise<KnownRecipient> => {
      const query = { campaign, number: phone, limit: 1 }
      const digits = phone.replace(/\D/g, '')
      const [{ conversations }, { changes }] = await Promise.all([
        request('GET /v1/conversation/list', { query, signal }),
        request('GET /v1/campaign/{id}/optouts/{number}', {
          path: { id: campaign, number: digits },
          signal,
        }),
      ])
      const conversation = conversations.find(({ recipient }) => recipient === phone)
      const [last] = changes
      const optout = conversation?.optout
      const how = optout?.keyword ? `sent ${optout.keyword}` : null
      return {
        lastMessage: conversation?.lastMessage ?? null,
        optedOut: last?.change === 'opted_out' ? { at: last.createdAt, how } : null,
      }
    },
  })
}

export function sendMessage(body: SendMessageBody, key: string) {
  return request('POST /v1/message/send', { body, key })
}

/** Rows of a file. The service checks their fields. */
const bodyOf = (messages: readonly object[]) => ({ messages }) as unknown as SendBatchBody

/** Segments and price of a batch, counted by the service. With a key: also what was sent with it. */
export function previewBatch(messages: readonly object[], key: string | null, signal: AbortSignal) {
  const body = bodyOf(messages)
  return request('POST /v1/message/batch/preview', { body, signal, ...(key && { key }) })
}

export async function sendBatch(
  messages: readonly object[],
  key: string,
  signal: AbortSignal,
): Promise<BlockAnswer> {
  let isReplay = false
  const { results } = await request('POST /v1/message/batch', {
    body: bodyOf(messages),
    key,
    signal,
    onHeaders: (headers) => {
      isReplay = headers.get('idempotent-replayed') === 'true'
    },
  })
  return { results, isReplay }
}
