// The statements of campaigns, on rows of several accounts, brands, and states: what each one reads, and which rows it
// changes.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccountId } from '../../src/accounts/account.js'
import { submitRegistration } from '../../src/brands/registration-queries.js'
import type { Campaign } from '../../src/campaigns/campaign.js'
import * as campaigns from '../../src/campaigns/campaign-queries.js'
import * as renewals from '../../src/campaigns/renewal/renewal-queries.js'
import {
  listAccountsWithTroubledCampaigns,
  listTroubledCampaigns,
} from '../../src/campaigns/trouble-queries.js'
import { newId } from '../../src/kit/ids.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign } from '../fixtures.js'
import { testService } from '../harness.js'
import { changedBy } from './changed-rows.js'

const START = new Date('2026-11-15T12:00:00.000Z')
const at = (ms: number) => new Date(START.getTime() + ms)
const NOTES = [{ field: 'usecase', note: 'Wrong.' }]
const FEE = 10_000_000n

/** Campaigns by their letters, in the order of their IDs. `z` is of another account, and `y` of another brand. */
async function open(t: TestContext) {
  const service = await testService(t, { balance: '10' })
  const { db } = service.world
  const own = service.accountId as AccountId
  const other = (await service.otherAccount('9')).accountId as AccountId
  const { campaignId, brandId } = await activeCampaign(service)
  const theirs = await activeCampaign(service, { accountId: other })
  const second = await activeCampaign(service, {
    brand: { displayName: 'Bolt', entityName: 'Bolt LLC' },
  })
  const base = await campaigns.getCampaign(db, own, campaignId)
  await db.query(sql`delete from campaigns`)
  const letters = new Map<string, string>()
  const add = async (letter: string, more: Partial<Campaign>) => {
    const id = newId('cmp', at(letters.size))
    letters.set(id, letter)
    const times = { submittedAt: at(0), approvedAt: at(0), periodStart: at(0), updatedAt: at(0) }
    const row: Campaign = {
      ...{ ...base, ...times, id, displayName: `Name of ${letter}`, renewsAt: at(1_000) },
      ...{ monthlyFeeMicros: FEE, ...more },
    }
    await db.transaction((tx) => campaigns.insertCampaign(tx, row))
  }
  await add('a', {})
  await add('g', { graceUntil: at(50) })
  await add('h', {
    status: 'SUSPENDED',
    suspendedFor: 'renewal',
    graceUntil: at(40),
    updatedAt: at(3),
  })
  await add('d', { status: 'DRAFT', approvedAt: null, renewsAt: null })
  await add('r', {
    status: 'DRAFT',
    approvedAt: null,
    renewsAt: null,
    reviewNotes: NOTES,
    updatedAt: at(5),
  })
  await add('s', {
    status: 'DRAFT',
    approvedAt: null,
    renewsAt: null,
    reviewNotes: NOTES,
    updatedAt: at(4),
  })
  await add('p', { status: 'PENDING', approvedAt: null, renewsAt: null, submittedAt: at(9) })
  await add('q', { status: 'PENDING', approvedAt: null, renewsAt: null, submittedAt: at(8) })
  await add('e', { status: 'ENDED', renewsAt: null })
  await add('l', { areLimitsSetByOperator: true, renewsAt: at(900) })
  await add('y', { brandId: second.brandId, renewsAt: at(800) })
  await add('z', { accountId: other, brandId: theirs.brandId, graceUntil: at(60) })
  const idOf = (letter: string) => [...letters].find(([, one]) => one === letter)![0]
  const short = (rows: readonly { id: string }[]) => rows.map(({ id }) => letters.get(id)).join('')
  const change = async (work: Parameters<typeof changedBy>[2]) => {
    const { changed } = await changedBy(db, { table: 'campaigns', key: 'id' }, work)
    return short(changed.map((id) => ({ id })))
  }
  return { service, db, own, other, brandId, second: second.brandId, idOf, short, change }
}

test('campaigns are read by account, state, brand, name, and page', async (t) => {
  const { db, own, other, brandId, second, idOf, short } = await open(t)
  for (const [accountId, id] of [
    [own, idOf('z')],
    [other, idOf('a')],
    [own, 'nonsense'],
  ] as const) {
    assert.equal(await campaigns.findCampaign(db, accountId, id), null)
    const locked = db.transaction((tx) => campaigns.lockCampaign(tx, accountId, id))
    await assert.rejects(locked, { code: 'campaign_missing' })
    await assert.rejects(campaigns.checkCampaigns(db, accountId, [idOf('a'), id]), {
      code: 'campaign_missing',
    })
  }
  await campaigns.checkCampaigns(db, own, [idOf('a'), idOf('p')])
  assert.equal((await campaigns.getCampaignOfAnyone(db, idOf('z'))).accountId, other)
  for (const id of ['nonsense', newId('cmp', at(999))]) {
    await assert.rejects(campaigns.getCampaignOfAnyone(db, id), { code: 'campaign_missing' })
  }
  const all = { status: null, search: null, brandId: null, campaigns: null }
  const page = { limit: 20, after: null as string | null, skip: 0 }
  for (const [filter, paging, found] of [
    [{}, {}, 'yleqphga'],
    [{ status: 'ALL' }, {}, 'yleqpsrdhga'],
    [{ status: 'DRAFT' }, {}, 'srd'],
    [{ brandId: second }, {}, 'y'],
    [{ campaigns: [idOf('a'), idOf('z')] }, {}, 'a'],
    [{ search: idOf('g') }, {}, 'g'],
    [{ search: 'NAME OF A' }, {}, 'a'],
    [{ search: 'bOLT' }, {}, 'y'],
    [{ search: 'nothing' }, {}, ''],
    [{}, { limit: 2 }, 'yle'],
    [{}, { limit: 2, skip: 1 }, 'leq'],
    [{}, { after: idOf('p') }, 'hga'],
  ] as const) {
    const listed = await campaigns.listCampaigns(
      db,
      own,
      { ...all, ...filter },
      { ...page, ...paging },
    )
    assert.equal(short(listed), found, JSON.stringify([filter, paging]))
  }
  for (const [filter, paging, found] of [
    [{}, {}, 'aghdrspqelyz'],
    [{ status: 'PENDING' }, {}, 'pq'],
    [{ accountId: other }, {}, 'z'],
    [{ accountId: own }, { limit: 1, skip: 2 }, 'hd'],
    [{}, { limit: 1 }, 'ag'],
    [{}, { after: idOf('e') }, 'lyz'],
    [{}, { limit: 1, skip: 2 }, 'hd'],
  ] as const) {
    const queue = { status: null, accountId: null, ...filter }
    const listed = await campaigns.listCampaignQueue(db, queue, { ...page, ...paging })
    assert.equal(short(listed), found, JSON.stringify([filter, paging]))
  }
  const toReview = async (ms: number, limit = 9) =>
    short(await campaigns.listCampaignsToReview(db, at(ms), limit))
  assert.deepEqual([await toReview(9), await toReview(8), await toReview(9, 1)], ['qp', 'q', 'q'])
  const recordId = idOf('q')
  const key = { accountId: own, recordId, kind: 'campaign' as const, link: 'x', now: at(0) }
  await db.transaction((tx) => submitRegistration(tx, key))
  assert.equal(await toReview(9), 'p', 'a provider decides on the other one')
  assert.deepEqual(await campaigns.countCampaignsWaiting(db), { waiting: 2, oldestAt: at(8) })
  const [waiting] = await campaigns.listCampaignsWaiting(db, 1)
  assert.deepEqual([waiting?.id, waiting?.brandStatus], [recordId, 'VERIFIED'])
  assert.equal(short(await campaigns.listCampaignsWaiting(db, 9)), 'qp')
  const ids = await campaigns.listCampaignIdsOf(db, own, brandId)
  assert.equal(short(ids.sort().map((id) => ({ id }))), 'aghdrspqel')
  assert.equal(
    short(await db.transaction((tx) => campaigns.lockFollowers(tx, own, brandId))),
    'agh',
  )
  assert.equal(short(await campaigns.listReturned(db, own, 9)), 'rs')
  assert.equal(short(await campaigns.listReturned(db, own, 1)), 'r')
  const names = await campaigns.nameCampaigns(db, own, [idOf('a'), idOf('z')])
  assert.deepEqual([...names], [[idOf('a'), 'Name of a']])
  assert.equal(short(await listTroubledCampaigns(db, own)), 'rsh')
  const troubled = (after: string, limit = 9) =>
    listAccountsWithTroubledCampaigns(db, after as AccountId, limit)
  assert.deepEqual(await troubled(''), [own])
  await db.query(sql`update campaigns set status = 'SUSPENDED' where id = ${idOf('z')}`)
  const accounts = [own, other].sort()
  assert.deepEqual([await troubled(''), await troubled('', 1)], [accounts, accounts.slice(0, 1)])
  assert.deepEqual(await troubled(accounts[0]!), accounts.slice(1))
})

test('renewals are due at their time, and unpaid ones when the balance covers the fee or the grace period is over', async (t) => {
  const { db, own, other, idOf, short } = await open(t)
  const due = async (ms: number, limit = 9) =>
    short(await renewals.listDueRenewals(db, at(ms), limit))
  assert.deepEqual(
    [await due(799), await due(800), await due(1_000), await due(1_000, 2)],
    [...['', 'y', 'yla', 'yl']],
  )
  const unpaid = async (ms: number, limit = 9) => {
    const listed = await renewals.listUnpaidRenewals(db, at(ms), limit)
    return listed.map((one) => `${short([one])}${one.isGraceOver ? ' over' : ''}`).sort()
  }
  // The account has exactly the fee, and the other one less.
  assert.deepEqual(await unpaid(49), ['g', 'h'])
  assert.deepEqual(await unpaid(50), ['g over', 'h'])
  assert.deepEqual(await unpaid(60), ['g over', 'h', 'z over'])
  assert.equal((await unpaid(60, 2)).length, 2)
  assert.deepEqual(await renewals.findFeeAndBalance(db, { accountId: own, id: idOf('g') }), {
    monthlyFeeMicros: FEE,
    balanceMicros: FEE,
  })
  assert.equal(await renewals.findFeeAndBalance(db, { accountId: own, id: idOf('z') }), null)
  assert.equal(short(await renewals.listOwing(db, own, 9)), 'hg')
  assert.equal(short(await renewals.listOwing(db, own, 1)), 'h')
  assert.equal(short(await renewals.listOwing(db, other, 9)), 'z')
  const claim = (accountId: AccountId, letter: string, ms: number) =>
    db.transaction((tx) => renewals.claimRenewal(tx, { accountId, id: idOf(letter) }, at(ms)))
  assert.equal((await claim(own, 'a', 1_000))?.displayName, 'Name of a')
  assert.equal(await claim(own, 'a', 999), null, 'not due')
  assert.equal(await claim(other, 'a', 1_000), null)
  await db.transaction(async (tx) => {
    await renewals.claimRenewal(tx, { accountId: own, id: idOf('a') }, at(1_000))
    assert.equal(await claim(own, 'a', 1_000), null, 'another process has it')
  })
})

test('a change of campaigns changes no others', async (t) => {
  const { db, own, other, idOf, change } = await open(t)
  const [a, g] = [
    await campaigns.getCampaign(db, own, idOf('a')),
    await campaigns.getCampaign(db, own, idOf('g')),
  ]
  const changed: Campaign = { ...a, displayName: 'New', smsTpmAtt: 7, mmsTpmAtt: 8, dailyTmoCap: 9 }
  const renewing = { ...a, periodStart: at(1), renewsAt: at(2) } as Parameters<
    typeof renewals.updateRenewal
  >[1]
  for (const [work, letters] of [
    [(tx) => campaigns.updateCampaign(tx, { ...changed, accountId: other }), ''],
    [(tx) => campaigns.updateLimits(tx, other, [changed], at(1)), ''],
    [(tx) => campaigns.updateLimits(tx, own, [changed, { ...g, smsTpmAtt: 1 }], at(1)), 'ag'],
    [(tx) => renewals.updateRenewal(tx, { ...renewing, accountId: other }, at(2)), ''],
    [(tx) => renewals.updateRenewal(tx, renewing, at(2)), 'a'],
    [(tx) => campaigns.updateCampaign(tx, { ...changed, updatedAt: at(3) }), 'a'],
  ] as [Parameters<typeof change>[0], string][]) {
    assert.equal(await change(work), letters, String(work))
  }
  assert.deepEqual(await campaigns.getCampaign(db, own, idOf('a')), {
    ...changed,
    updatedAt: at(3),
  })
  const { smsTpmAtt, updatedAt } = await campaigns.getCampaign(db, own, idOf('g'))
  assert.deepEqual([smsTpmAtt, updatedAt], [1, at(1)])
})
