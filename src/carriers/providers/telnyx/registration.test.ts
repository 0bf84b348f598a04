// Telnyx's statuses, reasons, and limits mapped to ours, and ours to theirs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Brand } from '../../../brands/brand.js'
import { NO_FIELDS } from '../../../brands/brand-fields.js'
import { blankCampaign } from '../../../campaigns/campaign-fields.js'
import { nextReference } from '../../../campaigns/registration/work-campaign.js'
import { campaignThere, limitsIn, scoreIn, uncarriedIn } from './registration.js'
import {
  brandFields,
  campaignFields,
  changesOf,
  failureNotes,
  reasonNotes,
} from './registration-fields.js'

const NOW = new Date('2026-11-16T12:00:00Z')

const BRAND: Brand = {
  ...NO_FIELDS,
  ...{ accountId: 'acc_1', id: 'brd_1', status: 'VERIFIED', trustScore: null, reviewNotes: [] },
  ...{ submittedAt: NOW, createdAt: NOW, updatedAt: NOW },
  ...{ entityName: 'Acme LLC', ein: '12-3456789', websiteUrl: 'https://acme.example' },
  termsLink: 'https://acme.example/terms',
}

function entryOf(more: object) {
  const campaign = { ...blankCampaign(BRAND, NOW), description: 'What it is about', ...more }
  return { reference: 'cmp_1', campaign, brand: BRAND, brandThere: 'b-1' }
}

test('campaign statuses are mapped to ours, and a campaign is active only when the carriers accept it', () => {
  const kindOf = (campaignStatus: string) => campaignThere({ campaignStatus }).kind
  const waiting = ['TCR_PENDING', 'TCR_ACCEPTED', 'TELNYX_ACCEPTED', 'MNO_PENDING', 'MNO_ACCEPTED']
  for (const status of [...waiting, 'NEW_ONE', '']) assert.equal(kindOf(status), 'pending', status)
  assert.equal(kindOf('MNO_PROVISIONED'), 'approved')
  for (const status of ['TCR_FAILED', 'TELNYX_FAILED', 'MNO_REJECTED']) {
    assert.equal(kindOf(status), 'returned', status)
  }
  assert.equal(kindOf('TCR_SUSPENDED'), 'suspended')
  assert.equal(kindOf('TCR_EXPIRED'), 'suspended')
  assert.equal(kindOf('MNO_PROVISIONING_FAILED'), 'stuck')
  assert.equal(campaignThere({ submissionStatus: 'FAILED' }).kind, 'returned')
  assert.equal(campaignThere('nonsense').kind, 'pending')
})

test('a reason is attached to its field, whatever its form', () => {
  const fields = (kind: 'brand' | 'campaign', given: unknown) =>
    reasonNotes(kind, given).map(({ field }) => field)
  assert.deepEqual(fields('campaign', 'Sample message 3 lacks the brand'), ['sample3'])
  assert.deepEqual(fields('campaign', 'Samples lack the brand'), ['sample1'])
  assert.deepEqual(fields('campaign', 'Opt-in is not described'), ['consentFlow'])
  assert.deepEqual(fields('campaign', 'No privacy policy on the page'), ['brandId'])
  assert.deepEqual(fields('campaign', 'The HELP reply names nobody'), ['helpMessage'])
  assert.deepEqual(fields('campaign', 'Wrong use case'), ['usecase'])
  assert.deepEqual(fields('campaign', 'Something else'), ['description'])
  assert.deepEqual(fields('brand', 'Something else'), ['entityName'])
  assert.deepEqual(fields('brand', 'Tax ID unknown'), ['ein'])
  const listed = [{ fields: ['messageFlow', 'nothing'], description: 'Unclear' }, 'Bad sample 2']
  assert.deepEqual(fields('campaign', JSON.stringify(listed)), ['consentFlow', 'sample2'])
  assert.deepEqual(fields('campaign', { field: 'sample4', reason: 'Empty' }), ['sample4'])
  for (const nothing of ['', null, undefined, 7, {}, [], '[]', '{}']) {
    assert.deepEqual(fields('campaign', nothing), [], JSON.stringify(nothing))
  }
  assert.deepEqual(failureNotes('campaign', { errors: [{ title: 'Bad use case' }] }), [
    { field: 'usecase', note: 'Bad use case' },
  ])
  assert.deepEqual(failureNotes('brand', 'nonsense'), [])
})

test('limits come from AT&T and T-Mobile, and are null if they report none', () => {
  const networks = {
    '10017': { mno: 'AT&T', tpm: 240, mmsTpm: '150' },
    '10035': { brandDailyCap: 2000 },
    '10038': { mno: 'Verizon', tpm: 1 },
  }
  assert.deepEqual(limitsIn(networks), { smsTpmAtt: 240, mmsTpmAtt: 150, dailyTmoCap: 2000 })
  assert.deepEqual(limitsIn({ '10017': { tpm: -1, mmsTpm: 'many' }, '10035': {} }), {})
  assert.deepEqual(limitsIn(null), {})
})

test('the score comes from the latest finished vetting', () => {
  const vetted = (vettingScore: number, vettedDate: string) => ({ vettingScore, vettedDate })
  assert.equal(scoreIn([vetted(10, '2026-01-01'), vetted(90, '2026-02-01')]), 90)
  const [early, late, latest] = ['01', '02', '03'].map((month) => `2026-${month}-01`)
  for (const order of [
    [latest, early, late],
    [late, latest, early],
    [early, late, latest],
  ]) {
    const scores = order.map((date) => vetted(date === latest ? 90 : 10, date!))
    assert.equal(scoreIn(scores), 90)
  }
  assert.equal(scoreIn({ records: [vetted(7, '2026-01-01')] }), 7)
  assert.equal(scoreIn([{ vettingScore: 50 }, vetted(101, '2026-01-01')]), null)
})

test('a brand is submitted with its own industry, or the link’s default', () => {
  const extras = { webhookURL: 'https://ours.test/x', vertical: 'RETAIL', isMock: false }
  const { vertical, ein, displayName, ...rest } = brandFields(BRAND, extras)
  assert.deepEqual([vertical, ein, displayName], ['RETAIL', '123456789', 'Acme LLC'])
  assert.equal('mock' in rest, false)
  assert.equal(brandFields({ ...BRAND, vertical: 'LEGAL' }, extras).vertical, 'LEGAL')
  assert.equal(brandFields(BRAND, { ...extras, isMock: true }).mock, true)
})

test('low volume is submitted as a use case, and links and phone numbers in samples are declared', () => {
  const fieldsOf = (more: object) => campaignFields(entryOf(more), 'https://ours.test/x')
  const low = fieldsOf({ usecase: '2FA', isLowVolume: true }) as Record<string, unknown>
  assert.deepEqual([low.usecase, low.subUsecases], ['LOW_VOLUME', ['2FA']])
  const several = { usecase: 'MIXED', subUsecases: ['2FA', 'MARKETING'] }
  const mixed = fieldsOf(several) as Record<string, unknown>
  assert.deepEqual([mixed.usecase, mixed.subUsecases], ['MIXED', ['2FA', 'MARKETING']])
  const with2 = (sample: string) => fieldsOf({ samples: ['Hello there', sample, null, null, null] })
  assert.deepEqual([with2('Hi').embeddedLink, with2('Hi').embeddedPhone], [false, false])
  assert.equal(with2('See https://acme.example/x').embeddedLink, true)
  assert.equal(with2('Call (415) 555-0123').embeddedPhone, true)
  const shown = fieldsOf({ consentFlow: 'A form.', screenshotUrl: 'https://acme.example/1.png' })
  assert.equal(shown.messageFlow, 'A form. Screenshot: https://acme.example/1.png')
})

test('only samples, consent flow, and the help reply are changed in place', () => {
  const ours = {
    usecase: '2FA',
    subUsecases: ['A'],
    sample1: 'new',
    messageFlow: 'm',
    numberPool: false,
  }
  const theirs = { usecase: '2FA', subUsecases: ['A'], sample1: 'old', messageFlow: 'm' }
  assert.deepEqual(changesOf(ours, theirs), { sample1: 'new' })
  assert.deepEqual(changesOf(ours, { ...ours }), {})
  assert.equal(changesOf(ours, { ...theirs, usecase: 'MARKETING' }), null)
  assert.equal(changesOf(ours, { ...theirs, subUsecases: ['B'] }), null)
  assert.equal(changesOf(ours, { ...theirs, sample2: 'gone here' }), null)
})

test('a campaign gets a new reference each time it is submitted again', () => {
  assert.equal(nextReference('cmp_1'), 'cmp_1-2')
  assert.equal(nextReference('cmp_1-2'), 'cmp_1-3')
})

test('carriers that do not accept a campaign are listed with their own status', () => {
  const words = { '10017': 'APPROVED', '10035': 'REVIEW', '10038': 'SUSPENDED', '10099': 'ODD' }
  const metadata = { '10038': { mno: 'Verizon' } }
  const named = ['T-Mobile: REVIEW', 'Verizon: SUSPENDED', 'network 10099: ODD']
  assert.deepEqual(uncarriedIn(words, metadata), named)
  for (const nothing of [null, 'nonsense', {}, { '10017': 'registered' }, { '10017': null }]) {
    assert.deepEqual(uncarriedIn(nothing, null), [])
  }
})
