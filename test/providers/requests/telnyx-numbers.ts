// Numbers at Telnyx until they are ours: searched, found, and ordered.

import type { NumberSource } from '../../../src/numbers/number-source.js'
import { type Exchange, fault, type Reply } from './exchange.js'
import {
  DIGITS,
  NUMBER,
  type NumberCase,
  type NumberCases,
  ORDER,
  OTHER,
  UNDELIVERED,
} from './number-cases.js'
import { TELNYX_BINDING } from './telnyx-binding.js'

const LOCAL =
  'filter[country_code]=US&filter[phone_number_type]=local&filter[features][]=sms&filter[features][]=mms&filter[features][]=voice'
const AVAILABLE = `GET /v2/available_phone_numbers?${LOCAL}`
const LISTED = { id: '9', phone_number: NUMBER }

const data = (...list: unknown[]) => [200, { data: list }] as const
const NOT_FOUND = [404, { errors: [{ code: '10005', title: 'Not found' }] }] as const

/** The lookup of our number by its digits, and its response. */
const owned = (...list: unknown[]): Exchange => [
  `GET /v2/phone_numbers?filter[phone_number]=1${DIGITS}`,
  data(...list),
]

const region = (region_type: string, region_name: string) => ({ region_type, region_name })
const offered = (phone_number: string, ...region_information: object[]) => ({
  ...{ phone_number, region_information },
})

const OFFERS = [
  offered(
    '+14152000001',
    region('location', 'Oakland'),
    region('rate_center', 'SAN FRANCISCO'),
    region('state', 'CA'),
  ),
  offered('+14152000002', region('state', 'CA'), region('location', 'Oakland')),
  offered('+14152000003', region('state', 'CA')),
  offered('+14152000004', region('country', 'US')),
  { phone_number: '+14152000005' },
  offered('+442071234567'),
  offered('+1415200000'),
  offered('+141520000011'),
  { region_information: [] },
  'nonsense',
]

const search: NumberCase[] = [
  {
    when: 'an area code is searched, with nearby ones: only US numbers, each with its city and state',
    run: (source) => source.search({ areaCode: '415', nearby: true, limit: 7 }),
    exchanges: [
      [
        `${AVAILABLE}&filter[national_destination_code]=415&filter[limit]=7&filter[best_effort]=true`,
        data(...OFFERS),
      ],
    ],
    result: [
      { number: '+14152000001', location: 'SAN FRANCISCO, CA' },
      { number: '+14152000002', location: 'Oakland, CA' },
      { number: '+14152000003', location: 'CA' },
      { number: '+14152000004', location: null },
      { number: '+14152000005', location: null },
    ],
  },
  {
    when: 'only this area code',
    run: (source) => source.search({ areaCode: '415', nearby: false, limit: 1 }),
    exchanges: [
      [
        `${AVAILABLE}&filter[national_destination_code]=415&filter[limit]=1&filter[best_effort]=false`,
        [200, 'nonsense'],
      ],
    ],
    result: [],
  },
  {
    when: 'any area code: there is nothing to be near to',
    run: (source) => source.search({ areaCode: null, nearby: true, limit: 10 }),
    exchanges: [[`${AVAILABLE}&filter[limit]=10&filter[best_effort]=false`, NOT_FOUND]],
    result: [],
  },
  {
    when: 'the search is throttled',
    run: (source) => source.search({ areaCode: null, nearby: false, limit: 10 }),
    exchanges: [
      [
        `${AVAILABLE}&filter[limit]=10&filter[best_effort]=false`,
        [429, { errors: [{ code: '10011', title: 'Too many requests' }] }],
      ],
    ],
    result: fault('later', 'HTTP 429 10011 Too many requests'),
  },
]

const FIND = `${AVAILABLE}&filter[national_destination_code]=415&filter[phone_number][ends_with]=2000001&filter[limit]=10`

const find: NumberCase[] = [
  {
    when: 'a number for sale is found among others',
    run: (source) => source.find(NUMBER),
    exchanges: [[FIND, data(offered(OTHER), offered(NUMBER, region('state', 'CA')))]],
    result: { number: NUMBER, location: 'CA' },
  },
  {
    when: 'a number is not for sale',
    run: (source) => source.find(NUMBER),
    exchanges: [[FIND, data(offered(OTHER))]],
    result: null,
  },
]

const ORDERED = {
  phone_numbers: [{ phone_number: NUMBER }],
  messaging_profile_id: 'p-1',
  customer_reference: 'ref-1',
}
const { messaging_profile_id: _, ...ORDERED_ALONE } = ORDERED

/** An order with this response, and the requests after it. */
const ordering = (when: string, reply: Reply, result: unknown, ...more: Exchange[]) => ({
  ...{ when, result },
  run: (source: NumberSource) => source.order(ORDER),
  exchanges: [['POST /v2/number_orders', reply, ORDERED] as const, ...more],
})

const ordered = (status: string) => [200, { data: { id: 'o-1', status } }] as const

const order: NumberCase[] = [
  ordering('it is pending', ordered('pending'), { kind: 'pending' }),
  ordering('it failed', ordered('failure'), UNDELIVERED),
  ordering(
    'the number is there',
    ordered('success'),
    { kind: 'done', numberId: '9' },
    owned(LISTED),
  ),
  ordering('the number is not listed yet', ordered('success'), { kind: 'pending' }, owned()),
  ordering(
    'another number is listed',
    ordered('success'),
    { kind: 'pending' },
    owned({ id: '8', phone_number: OTHER }),
  ),
  ordering('the list is unavailable', ordered('success'), { kind: 'pending' }, [owned()[0], [500]]),
  ordering(
    'the response names no order',
    [200, { data: { status: 'success' } }],
    fault('unknown', 'An order without an id.'),
  ),
  ordering(
    'the response is lost',
    'cut',
    fault('unknown', 'The connection was closed before the answer was complete.'),
  ),
  ordering('the provider fails', [500], fault('unknown', 'HTTP 500')),
  ordering(
    'somebody else has it',
    [422, { errors: [{ code: '85001', title: 'Unavailable', detail: 'It is taken' }] }],
    fault('refused', 'It is taken (85001)'),
  ),
  ordering(
    'the account has no funds',
    [400, { errors: [{ code: '20100', title: 'Insufficient funds' }] }],
    fault('later', 'Insufficient funds (20100)'),
  ),
  {
    when: 'a number without a profile',
    run: (source) => source.order({ ...ORDER, profileId: null }),
    exchanges: [['POST /v2/number_orders', ordered('pending'), ORDERED_ALONE]],
    result: { kind: 'pending' },
  },
]

const finding = (when: string, orders: object[], result: unknown, ...more: Exchange[]) => ({
  ...{ when, result },
  run: (source: NumberSource) => source.findOrder(ORDER),
  exchanges: [
    ['GET /v2/number_orders?filter[customer_reference]=ref-1', data(...orders)] as const,
    ...more,
  ],
})

const stored = (status: string, customer_reference = 'ref-1') => ({ status, customer_reference })
const OTHERS = [stored('success', 'ref-10'), stored('pending', 'ref-2')]

const findOrder: NumberCase[] = [
  finding('one is pending', [...OTHERS, stored('pending')], { kind: 'pending' }),
  finding('each failed', [stored('failure'), stored('failure')], UNDELIVERED),
  finding('one of two failed', [stored('failure'), stored('pending')], { kind: 'pending' }),
  finding(
    'one is done',
    [stored('success'), stored('failure')],
    { kind: 'done', numberId: '9' },
    owned({ id: '8', phone_number: OTHER }, LISTED),
  ),
  finding('there is none', OTHERS, { kind: 'none' }, owned()),
  finding('there is none, but it is ours', [], { kind: 'done', numberId: '9' }, owned(LISTED)),
  finding('there is none, and another is ours', [], { kind: 'none' }, owned({ id: '8' })),
]

export const TELNYX_NUMBERS: NumberCases = {
  ...{ search, find, order, findOrder, ...TELNYX_BINDING },
}
