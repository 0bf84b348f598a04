// Campaigns at Telnyx: registered, found again, corrected, read, and ended.

import type { Registrar } from '../../../src/campaigns/registration/registrar.js'
import { type Exchange, fault, type Reply } from './exchange.js'
import { CAMPAIGN_WEBHOOK, entryOf, type RegistrarCase } from './registration-cases.js'

const CAMPAIGNS = '/v2/10dlc/campaign'
const ONE = `${CAMPAIGNS}/C%2F1`
const GONE = [404, { errors: [{ code: '10005', title: 'Not found' }] }] as const
const NO_CAMPAIGN = fault('later', 'The provider has no such campaign any more.')

/** The campaign as it is sent. */
const SENT = {
  ...{ brandId: 'B/1', usecase: 'ACCOUNT_NOTIFICATION', subUsecases: [] },
  ...{ description: 'News of bookings', messageFlow: 'Guests tick a box.' },
  ...{ sample1: 'Your table is set.', sample2: 'See you at https://bluefern.example/x' },
  ...{ optinKeywords: 'START,YES', optoutKeywords: 'STOP,END', helpKeywords: 'HELP' },
  ...{ optinMessage: 'Welcome.', optoutMessage: 'Bye.', helpMessage: 'Call us.' },
  ...{ embeddedLink: true, embeddedPhone: false, numberPool: false, ageGated: false },
  ...{ subscriberOptin: true, subscriberOptout: true, subscriberHelp: true },
  ...{ directLending: false, termsAndConditions: true, autoRenewal: true },
  privacyPolicyLink: 'https://bluefern.example/p',
  termsAndConditionsLink: 'https://bluefern.example/t',
  ...{ referenceId: 'ref-1', webhookURL: CAMPAIGN_WEBHOOK },
}

const creating = (when: string, reply: Reply, result: unknown): RegistrarCase => ({
  ...{ when, result },
  run: (registrar) => registrar.createCampaign(entryOf()),
  exchanges: [['POST /v2/10dlc/campaignBuilder', reply, SENT]],
})

const { privacyPolicyLink: _, termsAndConditionsLink: __, ...LINKLESS } = SENT
const { usecase: ___, subUsecases: ____, ...USELESS } = SENT

const createCampaign: RegistrarCase[] = [
  creating('it is registered', [200, { campaignId: 'C1' }], 'C1'),
  creating('it has no id', [200, {}], fault('unknown', 'An answer without campaignId.')),
  creating(
    'it is refused',
    [422, { errors: [{ code: '10015', title: 'Bad', detail: 'Wrong use case' }] }],
    fault('refused', 'Wrong use case (10015)', [{ field: 'usecase', note: 'Wrong use case' }]),
  ),
  {
    when: 'its brand has no links',
    run: (registrar) =>
      registrar.createCampaign(entryOf({}, { privacyLink: null, termsLink: null })),
    exchanges: [['POST /v2/10dlc/campaignBuilder', [200, { campaignId: 'C1' }], LINKLESS]],
    result: 'C1',
  },
  {
    when: 'it has no use case, and a phone number but no link in its samples',
    run: (registrar) =>
      registrar.createCampaign(
        entryOf({ usecase: null, samples: ['Call (415) 555-0123', 'Hi', null, null, null] }),
      ),
    exchanges: [
      [
        'POST /v2/10dlc/campaignBuilder',
        [200, { campaignId: 'C1' }],
        {
          ...{ ...USELESS, sample1: 'Call (415) 555-0123', sample2: 'Hi' },
          ...{ embeddedLink: false, embeddedPhone: true },
        },
      ],
    ],
    result: 'C1',
  },
]

const LIST = `GET ${CAMPAIGNS}?brandId=B/1&recordsPerPage=100&sort=-createdAt`

const finding = (when: string, records: object[], result: unknown): RegistrarCase => ({
  ...{ when, result },
  run: (registrar) => registrar.findCampaign(entryOf()),
  exchanges: [[LIST, [200, { records }]]],
})

const findCampaign: RegistrarCase[] = [
  finding(
    'one has our reference',
    [
      { campaignId: 'C0', referenceId: 'ref-10' },
      { campaignId: 'C1', referenceId: 'ref-1' },
    ],
    'C1',
  ),
  finding('others have other references', [{ campaignId: 'C0', referenceId: 'ref-2' }], null),
  finding('there are none', [], null),
]

/** What Telnyx returns for the campaign. Numbers of keywords and booleans that are missing are the same. */
const there = (more: object = {}) => {
  const { webhookURL: _, referenceId: __, termsAndConditions: ___, ...shown } = SENT
  return { ...shown, status: 'ACTIVE', ...more }
}

const revising = (when: string, found: Reply, result: unknown, ...more: Exchange[]) =>
  ({
    ...{ when, result },
    run: (registrar: Registrar) => registrar.reviseCampaign('C/1', entryOf()),
    exchanges: [[`GET ${ONE}`, found], ...more],
  }) satisfies RegistrarCase

const appealed = (reason: string, reply?: Reply): Exchange => [
  `POST ${ONE}/appeal`,
  reply ?? [200, {}],
  { appeal_reason: reason },
]
const changed = (fields: object): Exchange => [`PUT ${ONE}`, [200, {}], fields]
const SAME = 'The noted problems have been fixed.'

const reviseCampaign: RegistrarCase[] = [
  revising('nothing differs', [200, there()], true),
  revising(
    'a sample differs',
    [200, there({ sample2: 'Old' })],
    true,
    changed({ sample2: SENT.sample2 }),
  ),
  revising(
    'it was returned: the changes are named in the appeal',
    [200, there({ campaignStatus: 'TELNYX_FAILED', messageFlow: 'Old', helpMessage: 'Old' })],
    true,
    changed({ messageFlow: SENT.messageFlow, helpMessage: SENT.helpMessage }),
    appealed('Fixed: messageFlow, helpMessage.'),
  ),
  revising(
    'it was returned by a network, and nothing here can be changed',
    [200, there({ campaignStatus: 'MNO_REJECTED' })],
    true,
    appealed(SAME),
  ),
  revising('its description differs', [200, there({ description: 'Old' })], false),
  revising('it has one more sample there', [200, there({ sample3: 'Old' })], false),
  revising('the registry failed it', [200, there({ campaignStatus: 'TCR_FAILED' })], false),
  revising('it is suspended', [200, there({ campaignStatus: 'TCR_SUSPENDED' })], false),
  revising('it expired at the registry', [200, there({ campaignStatus: 'TCR_EXPIRED' })], false),
  revising('it has expired', [200, there({ status: 'EXPIRED' })], false),
  revising('its submission failed', [200, there({ submissionStatus: 'FAILED' })], false),
  revising('it is gone', GONE, false),
  revising(
    'the appeal is refused',
    [200, there({ campaignStatus: 'MNO_REJECTED' })],
    fault('refused', 'No more appeals', [{ field: 'description', note: 'No more appeals' }]),
    appealed(SAME, [400, { detail: 'No more appeals' }]),
  ),
]

const reading = (when: string, found: object, result: unknown): RegistrarCase => ({
  ...{ when, result },
  run: (registrar) => registrar.readCampaign('C/1'),
  exchanges: [[`GET ${ONE}`, [200, found]]],
})
const returned = (field: string, note: string) => ({ kind: 'returned', notes: [{ field, note }] })
const NO_REASON = 'The registry sent the campaign back, and gave no reason.'
const UNCARRIED = 'The networks could not set the campaign up'

const readCampaign: RegistrarCase[] = [
  reading('it is in review', { campaignStatus: 'MNO_PENDING' }, { kind: 'pending' }),
  reading('the networks have it', { campaignStatus: 'MNO_PROVISIONED' }, { kind: 'approved' }),
  reading(
    'it is returned, with a reason',
    { campaignStatus: 'MNO_REJECTED', failureReasons: 'Sample 2 has no name' },
    returned('sample2', 'Sample 2 has no name'),
  ),
  reading(
    'it is returned, with no reason',
    { campaignStatus: 'TELNYX_FAILED' },
    returned('description', NO_REASON),
  ),
  reading(
    'its submission failed',
    { campaignStatus: 'TCR_PENDING', submissionStatus: 'FAILED', failureReasons: ['Bad use case'] },
    returned('usecase', 'Bad use case'),
  ),
  reading(
    'it expired',
    { campaignStatus: 'MNO_PROVISIONED', status: 'EXPIRED' },
    { kind: 'suspended' },
  ),
  reading('it is suspended', { campaignStatus: 'TCR_SUSPENDED' }, { kind: 'suspended' }),
  reading(
    'the networks failed',
    { campaignStatus: 'MNO_PROVISIONING_FAILED', failureReasons: 'AT&T timed out' },
    { kind: 'stuck', detail: `${UNCARRIED}: AT&T timed out` },
  ),
  ...['', undefined, ['x']].map((failureReasons) =>
    reading(
      'the networks failed for no reason',
      { campaignStatus: 'MNO_PROVISIONING_FAILED', failureReasons },
      { kind: 'stuck', detail: `${UNCARRIED}.` },
    ),
  ),
  {
    when: 'it is gone',
    run: (registrar) => registrar.readCampaign('C/1'),
    exchanges: [[`GET ${ONE}`, GONE]],
    result: NO_CAMPAIGN,
  },
]

const METADATA = `GET ${ONE}/mnoMetadata`
const networks = (when: string, operations: Reply, uncarried: string[]): RegistrarCase => ({
  when,
  run: (registrar) => registrar.readNetworks('C/1'),
  exchanges: [
    [METADATA, [200, { '10017': { mno: 'AT&T', tpm: 240 }, '10035': { brandDailyCap: 2000 } }]],
    [`GET ${ONE}/operationStatus`, operations],
  ],
  result: { limits: { smsTpmAtt: 240, dailyTmoCap: 2000 }, uncarried },
})

const readNetworks: RegistrarCase[] = [
  networks(
    'one does not carry it yet',
    [200, { '10017': 'APPROVED', '10035': 'REVIEW' }],
    ['T-Mobile: REVIEW'],
  ),
  networks('nobody knows who carries it', [403], []),
  {
    when: 'it is gone',
    run: (registrar) => registrar.readNetworks('C/1'),
    exchanges: [[METADATA, GONE]],
    result: NO_CAMPAIGN,
  },
]

const endCampaign: RegistrarCase[] = ([[200, {}], GONE] as const).map((reply) => ({
  when: `it ends (${reply[0]})`,
  run: (registrar) => registrar.endCampaign('C/1'),
  exchanges: [[`DELETE ${ONE}`, reply]],
  result: undefined,
}))

export const TELNYX_CAMPAIGNS = {
  ...{ createCampaign, findCampaign, reviseCampaign, readCampaign, readNetworks, endCampaign },
}
