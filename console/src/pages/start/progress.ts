// The progress of the first-run steps, derived from the records themselves, so a step is checked off by what
// happened, in every tab and after every reload.

import { useQuery } from '@tanstack/react-query'
import type { Brand, Campaign, ListedNumber, Message } from '../../../generated/types.gen'
import {
  brandsQuery,
  campaignsQuery,
  draftCampaignsQuery,
  handsetQuery,
  numbersQuery,
} from '../../api/queries'
import { FIRST_PHONE } from '../../lib/sandbox'

export interface Progress {
  isKnown: boolean
  error: unknown
  brand: Brand | null
  campaign: Campaign | null
  number: ListedNumber | null
  /** The first text to the phone, whatever its status. */
  sent: Message | null
  reply: Message | null
  /** 0 to 5: how many steps are done. */
  done: number
}

const VERIFIED = new Set(['VERIFIED', 'VETTED'])
const ARRIVED = new Set(['DELIVERED', 'READ'])

export function useProgress(): Progress {
  const brands = useQuery(brandsQuery)
  const campaigns = useQuery(campaignsQuery)
  const drafts = useQuery(draftCampaignsQuery)
  const numbers = useQuery(numbersQuery)
  const phone = useQuery(handsetQuery(FIRST_PHONE))
  const all = [brands, campaigns, drafts, numbers, phone]
  const brand = best(brands.data?.brands ?? [], isVerified)
  const withNumber = new Set(numbers.data?.numbers.map((one) => one.campaign))
  const campaign = bestCampaign(
    campaigns.data?.campaigns ?? [],
    drafts.data?.campaigns ?? [],
    withNumber,
  )
  const number = numbers.data?.numbers.find((one) => one.campaign === campaign?.id) ?? null
  const texts = [...(phone.data?.messages ?? [])].reverse()
  const sent = best(
    texts.filter(({ direction }) => direction === 'OUTBOUND'),
    ({ status }) => ARRIVED.has(status),
  )
  const reply = texts.find(({ direction }) => direction === 'INBOUND') ?? null
  const steps = [
    brand !== null && isVerified(brand),
    campaign?.status === 'ACTIVE',
    number !== null,
    sent !== null && ARRIVED.has(sent.status),
    reply !== null,
  ]
  const open = steps.indexOf(false)
  return {
    isKnown: all.every(({ data }) => data !== undefined),
    error: all.find(({ error }) => error)?.error ?? null,
    brand,
    campaign,
    number,
    sent,
    reply,
    done: open === -1 ? steps.length : open,
  }
}

export function isVerified({ status }: Brand): boolean {
  return VERIFIED.has(status)
}

/** A reviewer returned it, so nothing continues until someone fixes it. */
export function isReturned({ brand, campaign, done }: Progress): boolean {
  if (done === 0) return brand?.status === 'UNVERIFIED'
  return done === 1 && campaign?.status === 'DRAFT'
}

/** An active campaign, preferably with a number. Otherwise one in review, otherwise a returned one. */
function bestCampaign(
  submitted: readonly Campaign[],
  drafts: readonly Campaign[],
  withNumber: ReadonlySet<string>,
) {
  const active = submitted.filter(({ status }) => status === 'ACTIVE')
  const isPending = ({ status }: Campaign) => status === 'PENDING'
  const returned = drafts.find(({ reviewNotes }) => reviewNotes.length > 0)
  return (
    active.find(({ id }) => withNumber.has(id)) ??
    active[0] ??
    submitted.find(isPending) ??
    returned ??
    submitted[0] ??
    null
  )
}

/** The brand that got furthest, otherwise the first. */
function best<T>(list: readonly T[], isThere: (one: T) => boolean): T | null {
  return list.find(isThere) ?? list[0] ?? null
}
