// Whether a message from the live stream belongs to a filtered list, by the rules of GET /v1/message/search.

import type { Message } from '../../../generated/types.gen'
import { MESSAGE_TIMES, type MessageSearch } from '../../api/queries'
import { readPhone } from '../../lib/format'

export function matches(message: Message, filter: MessageSearch, now: Date): boolean {
  const { campaign, direction, status, number, errorCode, since, until, time } = filter
  const created = Date.parse(message.createdAt)
  const begin = time ? now.getTime() - MESSAGE_TIMES[time] : since ? Date.parse(since) : -Infinity
  return (
    (!campaign || message.campaignId === campaign) &&
    (!direction || message.direction === direction) &&
    (!status || message.status === status) &&
    (!number || [message.from, message.to].includes(readPhone(number))) &&
    (!errorCode || message.errorCode === errorCode) &&
    hasContent(message, filter) &&
    created >= begin &&
    (!until || created < Date.parse(until))
  )
}

function hasContent(message: Message, filter: MessageSearch): boolean {
  const { text, priceMin, priceMax, metadata, batch } = filter
  const [, key = '', value = ''] = /^([^:]+):(.*)$/s.exec(metadata ?? '') ?? []
  return (
    (!text || message.body.toLowerCase().includes(text.trim().toLowerCase())) &&
    (priceMin === undefined || message.price >= priceMin) &&
    (priceMax === undefined || message.price <= priceMax) &&
    (!metadata || message.metadata[key] === value) &&
    (!batch || message.metadata.batch === batch)
  )
}
