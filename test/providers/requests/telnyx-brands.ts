// Brands at Telnyx: registered, found again, corrected, and read.

import type { Registrar } from '../../../src/campaigns/registration/registrar.js'
import { type Exchange, fault, type Reply } from './exchange.js'
import { BRAND_ENTRY, BRAND_WEBHOOK, type RegistrarCase } from './registration-cases.js'

const BRANDS = '/v2/10dlc/brand'
const ONE = `${BRANDS}/B%2F1`
const GONE = [404, { errors: [{ code: '10005', title: 'Not found' }] }] as const
const NO_REASON = 'The registry did not take it, and gave no reason.'
const NO_BRAND = fault('later', 'The provider has no such brand any more.')

/** The brand as it is sent, with the link's default industry. */
const SENT = {
  ...{ entityType: 'PRIVATE_PROFIT', displayName: 'Blue Fern', companyName: 'Blue Fern LLC' },
  ...{ ein: '123456789', phone: '+14155550123', email: 'ana@bluefern.example' },
  ...{ street: '548 Market Street', city: 'San Francisco', state: 'CA', postalCode: '94104' },
  ...{ country: 'US', firstName: 'Ana', lastName: 'Ortiz', website: 'https://bluefern.example' },
  ...{ vertical: 'RETAIL', webhookURL: BRAND_WEBHOOK },
}

const creating = (when: string, reply: Reply, result: unknown): RegistrarCase => ({
  ...{ when, result },
  run: (registrar) => registrar.createBrand(BRAND_ENTRY),
  exchanges: [[`POST ${BRANDS}`, reply, { ...SENT, mock: true }]],
})

const note = (field: string, text: string) => [{ field, note: text }]

const createBrand: RegistrarCase[] = [
  creating('it is registered', [200, { brandId: 'B1' }], 'B1'),
  creating('it has no id', [200, {}], fault('unknown', 'An answer without brandId.')),
  creating('the response is nonsense', [200, 'ok'], fault('unknown', 'An answer without brandId.')),
  creating(
    'a field is refused by its place',
    [422, { detail: [{ loc: ['body', 'companyName'], msg: 'is too long' }] }],
    fault('refused', 'HTTP 422', note('entityName', 'is too long')),
  ),
  creating(
    'a field is refused by a pointer',
    [
      400,
      {
        errors: [
          { code: '10015', title: 'Bad', detail: 'No mailbox', source: { pointer: '/body/email' } },
        ],
      },
    ],
    fault('refused', 'No mailbox (10015)', note('email', 'No mailbox')),
  ),
  creating(
    'a field is refused by a title',
    [400, { errors: [{ code: '10015', title: 'Unknown ZIP' }] }],
    fault('refused', 'Unknown ZIP (10015)', note('postalCode', 'Unknown ZIP')),
  ),
  creating(
    'it is refused in one sentence',
    [400, { detail: 'The tax ID is unknown' }],
    fault('refused', 'The tax ID is unknown', note('ein', 'The tax ID is unknown')),
  ),
  creating(
    'it is refused without a reason',
    [422],
    fault('refused', 'HTTP 422', note('entityName', NO_REASON)),
  ),
  creating('it is lost', [502], fault('unknown', 'HTTP 502', note('entityName', NO_REASON))),
]

const LIST = `GET ${BRANDS}?displayName=Blue Fern&recordsPerPage=100&sort=-createdAt`

const finding = (when: string, records: object[], result: unknown, ...more: Exchange[]) =>
  ({
    ...{ when, result },
    run: (registrar) => registrar.findBrand(BRAND_ENTRY),
    exchanges: [[LIST, [200, { records }]], ...more],
  }) satisfies RegistrarCase

const record = (brandId: string, displayName = 'Blue Fern') => ({ brandId, displayName })
const FOREIGN: Exchange = [`GET ${BRANDS}/B0`, [200, { webhookURL: 'https://other.test' }]]

const findBrand: RegistrarCase[] = [
  finding(
    'one of two with the name has our callback URL',
    [
      record('A0', 'Blue Ferns'),
      { displayName: 'Blue Fern' },
      record('B0'),
      record('B/1'),
      record('B2'),
    ],
    'B/1',
    FOREIGN,
    [`GET ${ONE}`, [200, { webhookURL: BRAND_WEBHOOK }]],
  ),
  finding('another installation has the name', [record('B0')], null, FOREIGN),
  finding('it is gone in between', [record('B0')], null, [`GET ${BRANDS}/B0`, GONE]),
  finding('nobody has the name', [], null),
]

const CORRECTED: Exchange = [`PUT ${ONE}`, [200, {}], SENT]

const revising = (when: string, result: unknown, ...exchanges: Exchange[]): RegistrarCase => ({
  ...{ when, result, exchanges },
  run: (registrar) => registrar.reviseBrand('B/1', BRAND_ENTRY),
})

const reviseBrand: RegistrarCase[] = [
  revising('it is verified again', undefined, CORRECTED, [`PUT ${ONE}/revet`, [200, {}]]),
  revising('it was verified too often', undefined, CORRECTED, [
    `PUT ${ONE}/revet`,
    [422, { errors: [{ code: '1', title: 'Too often' }] }],
  ]),
  revising(
    'the provider fails',
    fault('later', 'HTTP 500', note('description', NO_REASON)),
    CORRECTED,
    [`PUT ${ONE}/revet`, [500, { errors: [] }]],
  ),
  revising('it is gone', NO_BRAND, [`PUT ${ONE}`, GONE, SENT]),
]

const reading = (when: string, brand: object, result: unknown, ...more: Exchange[]) =>
  ({
    ...{ when, result },
    run: (registrar: Registrar) => registrar.readBrand('B/1'),
    exchanges: [[`GET ${ONE}`, [200, brand]], ...more],
  }) satisfies RegistrarCase

const identity = (identityStatus: string) => ({ status: 'OK', identityStatus })
const feedback = (category: object[]): Exchange => [
  `GET ${BRANDS}/feedback/B%2F1`,
  [200, { category }],
]

const readBrand: RegistrarCase[] = [
  reading('it is verified', identity('VERIFIED'), { kind: 'verified' }),
  reading('it is in review', identity('SELF_DECLARED'), { kind: 'pending' }),
  reading('it has no status yet', { status: 'REGISTRATION_PENDING' }, { kind: 'pending' }),
  reading('it is vetted', identity('VETTED_VERIFIED'), { kind: 'vetted', trustScore: 81 }, [
    `GET ${ONE}/externalVetting`,
    [200, [{ vettingScore: 81, vettedDate: '2026-11-01' }]],
  ]),
  reading(
    'its score is not known',
    identity('VETTED_VERIFIED'),
    { kind: 'vetted', trustScore: null },
    [`GET ${ONE}/externalVetting`, GONE],
  ),
  reading(
    'it is unverified, with reasons at their fields',
    identity('UNVERIFIED'),
    { kind: 'refused', notes: note('ein', 'No such company') },
    feedback([{ id: 'TAX_ID', fields: ['ein'], description: 'No such company' }]),
  ),
  reading('it is unverified', identity('UNVERIFIED'), { kind: 'unverified' }, feedback([])),
  reading(
    'its registration failed, with a reason',
    { ...identity('VERIFIED'), status: 'REGISTRATION_FAILED', failureReasons: 'Unknown tax ID' },
    { kind: 'refused', notes: note('ein', 'Unknown tax ID') },
  ),
  reading('its registration failed', { status: 'REGISTRATION_FAILED' }, { kind: 'unverified' }),
  {
    when: 'it is gone',
    run: (registrar) => registrar.readBrand('B/1'),
    exchanges: [[`GET ${ONE}`, GONE]],
    result: NO_BRAND,
  },
]

export const TELNYX_BRANDS = { createBrand, findBrand, reviseBrand, readBrand }

/** Without test mode, and with the brand's own industry. */
export const TELNYX_REAL_BRAND: RegistrarCase = {
  when: 'a brand with its own industry is registered for real',
  run: (registrar) =>
    registrar.createBrand({ ...BRAND_ENTRY, brand: { ...BRAND_ENTRY.brand, vertical: 'LEGAL' } }),
  exchanges: [[`POST ${BRANDS}`, [200, { brandId: 'B1' }], { ...SENT, vertical: 'LEGAL' }]],
  result: 'B1',
}
