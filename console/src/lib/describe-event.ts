// A short description of each live event, for the activity list.

import {
  ArrowDownLeft,
  Ban,
  type LucideIcon,
  Megaphone,
  Phone,
  ShieldCheck,
  Wallet,
  Webhook,
} from 'lucide-react'
import type { Brand, Campaign } from '../../generated/types.gen'
import type { LiveEvent } from '../api/stream'
import { messageStatusState, type Tone } from '../ui/display/states'
import { describeBrand, describeCampaign } from './describe-status'
import { formatMoney, formatPhone } from './format'

export interface EventDescription {
  icon: LucideIcon
  tone: Tone
  text: string
}

export function describeEvent({ eventType, data }: LiveEvent): EventDescription | null {
  switch (eventType) {
    case 'message.incoming': {
      const { from, body } = data.message
      return { icon: ArrowDownLeft, tone: 'go', text: `“${cut(body)}” from ${formatPhone(from)}` }
    }
    case 'message.status':
      return describeStatus(data)
    case 'recipient.optout':
      return { icon: Ban, tone: 'bad', text: `${formatPhone(data.recipient)} opted out` }
    case 'brand.changed':
      return { icon: ShieldCheck, tone: 'wait', text: brandText(data.brand ?? data) }
    case 'campaign.changed':
      return { icon: Megaphone, tone: 'wait', text: campaignText(data.campaign ?? data) }
    case 'number.changed':
      return { icon: Phone, tone: 'wait', text: 'A number changed' }
    case 'webhook.changed':
      return { icon: Webhook, tone: 'wait', text: 'A webhook changed' }
    case 'balance.changed':
      return data.change !== 'current' && typeof data.balance === 'number'
        ? { icon: Wallet, tone: 'wait', text: `Balance ${formatMoney(data.balance)}` }
        : null
    default:
      return null
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the shape of the data depends on the event type
function describeStatus({ message, status }: any): EventDescription {
  const { icon, tone, word } = messageStatusState(status ?? message.status)
  const whose = message.automatic ? 'automatic reply' : 'message'
  const code = message.errorCode === null ? '' : ` ${message.errorCode}`
  return { icon, tone, text: `${word}${code}: ${whose} to ${formatPhone(message.to)}` }
}

function brandText({ displayName, entityName, status }: Partial<Brand>): string {
  const name = displayName || entityName || 'A brand'
  return status ? describeBrand(status, name) : `${name} changed`
}

function campaignText({ displayName, status }: Partial<Campaign>): string {
  const name = displayName || 'A campaign'
  return status ? describeCampaign(status, name) : `${name} changed`
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
