// The rows shown, as CSV.

import type { Message } from '../../../generated/types.gen'
import { csvOf } from '../../lib/csv-file'

const HEAD = [
  'id',
  'createdAt',
  'direction',
  'status',
  'from',
  'to',
  'body',
  'type',
  'numSegments',
  'price',
  'errorCode',
  'errorMessage',
  'scheduledAt',
  'campaignId',
  'metadata',
] as const

export function messagesCsv(messages: readonly Message[]): string {
  const rows = messages.map((message) =>
    HEAD.map((name) => {
      if (name !== 'metadata') return String(message[name] ?? '')
      return Object.keys(message.metadata).length > 0 ? JSON.stringify(message.metadata) : ''
    }),
  )
  return csvOf([HEAD, ...rows])
}
