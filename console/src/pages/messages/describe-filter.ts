// A filter in words, for the chips above the list and the empty state.

import type { Campaign } from '../../../generated/types.gen'
import type { MessageSearch, MessageTime } from '../../api/queries'
import { formatMoney, formatPhone } from '../../lib/format'
import { momentOf } from '../../lib/format-time'
import { messageStatusState } from '../../ui/display/states'

export const TIME_WORDS: Record<MessageTime, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

export interface FilterWord {
  text: string
  /** The filter without this part. */
  without: MessageSearch
}

export function describeFilter(
  filter: MessageSearch,
  campaigns: readonly Pick<Campaign, 'id' | 'displayName'>[],
): FilterWord[] {
  const { campaign, status, direction, number, errorCode, time, since, until } = filter
  const { text: wanted, priceMin, priceMax, metadata, batch } = filter
  const words: [keyof MessageSearch, string][] = []
  if (wanted) words.push(['text', `Text: “${wanted}”`])
  if (number) words.push(['number', `With ${formatPhone(number)}`])
  if (campaign) {
    const name = campaigns.find(({ id }) => id === campaign)?.displayName || campaign
    words.push(['campaign', `Campaign: ${name}`])
  }
  if (status) words.push(['status', `Status: ${messageStatusState(status).word}`])
  if (direction) words.push(['direction', direction === 'INBOUND' ? 'Received' : 'Sent'])
  if (errorCode) words.push(['errorCode', `Error ${errorCode}`])
  if (priceMin !== undefined) words.push(['priceMin', `At least ${formatMoney(priceMin)}`])
  if (priceMax !== undefined) words.push(['priceMax', `At most ${formatMoney(priceMax)}`])
  if (metadata) words.push(['metadata', `Metadata: ${metadata}`])
  if (batch) words.push(['batch', `Batch: ${batch}`])
  if (time) words.push(['time', TIME_WORDS[time]])
  if (since) words.push(['since', `Since ${momentOf(new Date(since))}`])
  if (until) words.push(['until', `Before ${momentOf(new Date(until))}`])
  return words.map(([name, text]) => {
    const { [name]: _, ...without } = filter
    return { text, without }
  })
}
