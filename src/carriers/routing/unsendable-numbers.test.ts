// Which numbers of campaigns cannot send with a carriers file, how they are grouped, and how many are listed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CarrierSettings, LinkSettings } from '../settings/carrier-settings.js'
import { describeProblems, findNumberProblems } from './unsendable-numbers.js'

const linkOf = (name: string, account?: string, kind = 'telnyx') =>
  ({ name, kind, hostsStock: null, ...(account && { account }) }) as LinkSettings

function routeTo(links: string[], campaigns: string[] | null = null) {
  const any = { networks: null, prefixes: null, campaigns, types: null }
  const shares = links.map((link) => ({ link, share: 1 }))
  return { name: 'r', ...any, links: shares, failover: [], onSlowDown: 'wait' as const }
}

interface Stored {
  phoneNumber: string
  campaignId: string
  link: string | null
  hosts: string[] | null
}

const numberAt = (i: number) => `+1415${2_000_000 + i}`
const stored = (i: number, more: Partial<Stored> = {}): Stored => ({
  ...{ phoneNumber: numberAt(i), campaignId: 'cmp_1', link: 'a', hosts: null },
  ...more,
})

/** The problems of these numbers, and how the pages were read. */
async function problemsOf(
  numbers: Stored[],
  settings: Pick<CarrierSettings, 'links' | 'routes'>,
  registered: { campaignId: string; link: string }[] = [],
) {
  const pages: unknown[][] = []
  const db = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      if (text.includes('registrations')) return registered
      const [after, limit] = values as [string, number]
      pages.push(values)
      return numbers.filter(({ phoneNumber }) => phoneNumber > after).slice(0, limit)
    },
  }
  const problems = await findNumberProblems(
    db as unknown as Parameters<typeof findNumberProblems>[0],
    settings,
  )
  return { ...problems, pages }
}

const A_AND_B = { links: [linkOf('a', 'A'), linkOf('b', 'B')], routes: [routeTo(['a'])] }

test('numbers that a link of the campaign hosts have no problem', async () => {
  assert.deepEqual(await problemsOf([stored(1)], A_AND_B), {
    ...{ count: 0, groups: [] },
    pages: [['', 2_000]],
  })
})

test('with simulators alone, no number is read', async () => {
  const settings = { links: [linkOf('sim', undefined, 'simulator')], routes: [] }
  const { count, pages } = await problemsOf([stored(1, { link: 'gone' })], settings)
  assert.deepEqual([count, pages], [0, []])
})

test('numbers that no link of the campaign hosts are grouped by campaign and reason', async () => {
  const numbers = [
    stored(1, { link: 'b' }),
    stored(2, { link: 'b' }),
    stored(3, { link: 'gone' }),
    stored(4, { link: null, hosts: ['gone', 'away'] }),
    stored(5, { link: null }),
    stored(6),
    stored(7, { link: 'b', campaignId: 'cmp_2' }),
    stored(8, { link: null, hosts: ['b', 'c'] }),
  ]
  const links = [...A_AND_B.links, linkOf('c', 'C')]
  const { count, groups } = await problemsOf(numbers, { ...A_AND_B, links })
  const text = (campaignId: string, by: string) =>
    `No link can send from these numbers of the campaign ${campaignId}: they are hosted by ${by}, and its routes use a`
  const group = (campaignId: string, by: string, ...phoneNumbers: string[]) => ({
    ...{ problem: 'unhosted', campaignId, text: text(campaignId, by), phoneNumbers },
  })
  assert.equal(count, 7)
  assert.deepEqual(groups, [
    group('cmp_1', 'b', numberAt(1), numberAt(2)),
    group('cmp_1', 'gone, which is not in the file', numberAt(3)),
    group('cmp_1', 'gone, away, which is not in the file', numberAt(4)),
    group('cmp_1', 'no link that is stated', numberAt(5)),
    group('cmp_2', 'b', numberAt(7)),
    group('cmp_1', 'b, c', numberAt(8)),
  ])
})

test('a campaign without a route is told that it has no link', async () => {
  const settings = { ...A_AND_B, routes: [routeTo(['a'], ['cmp_2'])] }
  const { groups } = await problemsOf([stored(1)], settings)
  assert.match(groups[0]!.text, /hosted by a, and its routes use no link$/)
  const both = { ...A_AND_B, routes: [routeTo(['b', 'a'])] }
  const { groups: none } = await problemsOf([stored(1, { link: 'gone' })], both)
  assert.match(none[0]!.text, /its routes use b, a$/)
})

test('a number at another provider than its campaign’s registration is blocked, even if a link hosts it', async () => {
  const links = [...A_AND_B.links, linkOf('a2', 'A')]
  const settings = { links, routes: [routeTo(['a', 'b'])] }
  const registered = [{ campaignId: 'cmp_1', link: 'a2' }]
  const numbers = [
    stored(1),
    stored(2, { link: 'b' }),
    stored(3, { link: 'b', campaignId: 'cmp_2' }),
    stored(4, { link: null, hosts: ['b'] }),
  ]
  const { count, groups } = await problemsOf(numbers, settings, registered)
  assert.equal(count, 1)
  assert.deepEqual(groups, [
    {
      problem: 'registered elsewhere',
      campaignId: 'cmp_1',
      text: 'The campaign cmp_1 is registered through a2, and these numbers are hosted by b: networks block what they send',
      phoneNumbers: [numberAt(2)],
    },
  ])
})

test('all pages are read, all problems are counted, and a thousand are listed', async () => {
  const numbers = Array.from({ length: 4_000 }, (_, i) =>
    stored(i, { link: i % 2 === 0 ? 'b' : 'a' }),
  )
  const found = await problemsOf(numbers, A_AND_B)
  assert.deepEqual(
    found.pages.map(([after]) => after),
    ['', numberAt(1_999), numberAt(3_999)],
  )
  assert.deepEqual([found.count, found.groups[0]!.phoneNumbers.length], [2_000, 1_000])
  const lines = describeProblems(found)
  assert.equal(lines.length, 2)
  assert.equal(lines[1], '1000 more numbers have the same problems.')
  const short = await problemsOf(numbers.slice(0, 1_999), A_AND_B)
  assert.deepEqual([short.pages.length, short.count], [1, 1_000])
})

test('each group is one line, with its numbers', () => {
  const group = (text: string, ...phoneNumbers: string[]) => ({
    ...{ problem: 'unhosted' as const, campaignId: 'cmp_1', text, phoneNumbers },
  })
  const groups = [group('One', '+1', '+2'), group('Two', '+3')]
  assert.deepEqual(describeProblems({ count: 3, groups }), ['One: +1, +2.', 'Two: +3.'])
  assert.deepEqual(describeProblems({ count: 0, groups: [] }), [])
})
