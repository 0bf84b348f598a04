// Numbers that cannot send with the current carriers file: for `longcode doctor` and `longcode carrier check`.

import { listRegisteredCampaigns } from '../../brands/registration-queries.js'
import type { Queryable } from '../../kit/postgres/db.js'
import { type AssignedNumber, listAssignedNumbers } from '../../numbers/hosting-queries.js'
import type { CarrierSettings } from '../settings/carrier-settings.js'
import { NumberHosting } from './number-hosting.js'

const PAGE = 2_000
/** All are counted, and this many are listed. */
const LISTED_MAX = 1_000

export interface NumberProblem {
  problem: 'unhosted' | 'registered elsewhere'
  campaignId: string
  /** One sentence for all numbers of the campaign that share it. */
  text: string
  phoneNumbers: string[]
}

export interface NumberProblems {
  count: number
  groups: NumberProblem[]
}

/** Reads all numbers of campaigns, page by page. */
export async function findNumberProblems(
  db: Queryable,
  settings: Pick<CarrierSettings, 'links' | 'routes'>,
): Promise<NumberProblems> {
  const hosting = new NumberHosting(settings)
  if (hosting.isTrivial) return { count: 0, groups: [] }
  const registered = new Map(
    (await listRegisteredCampaigns(db)).map(({ campaignId, link }) => [campaignId, link]),
  )
  const groups = new Map<string, NumberProblem>()
  let count = 0
  for (let after = ''; ; ) {
    const page = await listAssignedNumbers(db, after, PAGE)
    for (const number of page) {
      const found = problemOf(hosting, number, registered.get(number.campaignId) ?? null)
      if (!found) continue
      count += 1
      if (count <= LISTED_MAX) listUnder(groups, found, number)
    }
    if (page.length < PAGE) return { count, groups: [...groups.values()] }
    after = page.at(-1)!.phoneNumber
  }
}

type Found = Pick<NumberProblem, 'problem' | 'text'>

function problemOf(
  hosting: NumberHosting,
  number: AssignedNumber,
  registeredBy: string | null,
): Found | null {
  const { campaignId, link } = number
  const isElsewhere = link && registeredBy && !hosting.isSameAccount(link, registeredBy)
  if (isElsewhere) {
    const text = `The campaign ${campaignId} is registered through ${registeredBy}, and these numbers are hosted by ${link}: networks block what they send`
    return { problem: 'registered elsewhere', text }
  }
  if (hosting.canSend(number, campaignId)) return null
  const routed = [...hosting.carriersOf(campaignId)].join(', ') || 'no link'
  return {
    problem: 'unhosted',
    text: `No link can send from these numbers of the campaign ${campaignId}: they are hosted by ${hostsText(hosting, number)}, and its routes use ${routed}`,
  }
}

function hostsText(hosting: NumberHosting, number: AssignedNumber): string {
  const { link, hosts } = number
  const found = hosting.hostsOf(number)
  if (found.length > 0) return found.join(', ')
  const stated = link ?? hosts?.join(', ') ?? null
  return stated === null ? 'no link that is stated' : `${stated}, which is not in the file`
}

function listUnder(
  groups: Map<string, NumberProblem>,
  found: Found,
  { campaignId, phoneNumber }: AssignedNumber,
): void {
  const group = groups.get(found.text)
  if (group) group.phoneNumbers.push(phoneNumber)
  else groups.set(found.text, { ...found, campaignId, phoneNumbers: [phoneNumber] })
}

/** One line for each group. */
export function describeProblems({ count, groups }: NumberProblems): string[] {
  const listed = groups.reduce((sum, { phoneNumbers }) => sum + phoneNumbers.length, 0)
  const lines = groups.map(({ text, phoneNumbers }) => `${text}: ${phoneNumbers.join(', ')}.`)
  return count > listed
    ? [...lines, `${count - listed} more numbers have the same problems.`]
    : lines
}
