// Numbers at Bandwidth, through the XML API of its dashboard: each request, and what each documented response means.

import type { NumberSource } from '../../../src/numbers/number-source.js'
import { type Exchange, fault, type Reply } from './exchange.js'
import {
  CAMPAIGN,
  DIGITS,
  NUMBER,
  type NumberCase,
  type NumberCases,
  ORDER,
  UNDELIVERED,
} from './number-cases.js'

const OWNED = { numberId: DIGITS, phoneNumber: NUMBER }
const ACCOUNT = '/dashboard/accounts/55'
const AVAILABLE = `GET ${ACCOUNT}/availableNumbers`

/** Whether the number is in the account. */
const owned = (isOurs: boolean): Exchange => [
  `GET ${ACCOUNT}/inserviceNumbers/${DIGITS}`,
  isOurs ? [200, '<TNDetails/>'] : [404],
]
const DONE = { kind: 'done', numberId: DIGITS }

const details = (...fields: Record<string, string>[]) => {
  const inside = (one: Record<string, string>) =>
    Object.entries(one).map(([name, value]) => `<${name}>${value}</${name}>`)
  const list = fields.map(
    (one) => `<TelephoneNumberDetail>\n${inside(one).join('\n')}</TelephoneNumberDetail>`,
  )
  return [200, `<SearchResult><ResultCount>1</ResultCount>${list.join('')}</SearchResult>`] as const
}

const search: NumberCase[] = [
  {
    when: 'an area code is searched, with nearby ones: only whole numbers, each with its city and state',
    run: (source) => source.search({ areaCode: '415', nearby: true, limit: 7 }),
    exchanges: [
      [
        `${AVAILABLE}?areaCode=415&quantity=7&LCA=true&enableTNDetail=true`,
        details(
          { City: 'SAN FRANCISCO', State: 'CA', FullNumber: '4152000001' },
          { State: 'CA', FullNumber: '4152000002' },
          { City: 'R &amp; D', FullNumber: '4152000003' },
          { FullNumber: '4152000004' },
          { FullNumber: '415200000' },
          { FullNumber: '41520000011' },
          { FullNumber: '+14152000001' },
          { City: 'OAKLAND' },
        ),
      ],
    ],
    result: [
      { number: '+14152000001', location: 'SAN FRANCISCO, CA' },
      { number: '+14152000002', location: 'CA' },
      { number: '+14152000003', location: 'R & D' },
      { number: '+14152000004', location: null },
    ],
  },
  {
    when: 'only this area code',
    run: (source) => source.search({ areaCode: '415', nearby: false, limit: 5_000 }),
    exchanges: [
      [`${AVAILABLE}?areaCode=415&quantity=5000&LCA=false&enableTNDetail=true`, [200, '']],
    ],
    result: [],
  },
  {
    when: 'any area code: a search needs a filter, and at most 5,000 numbers are listed',
    run: (source) => source.search({ areaCode: null, nearby: true, limit: 5_001 }),
    exchanges: [[`${AVAILABLE}?state=CA&quantity=5000&LCA=false&enableTNDetail=true`, [404]]],
    result: [],
  },
  {
    when: 'the search is refused',
    run: (source) => source.search({ areaCode: null, nearby: true, limit: 1 }),
    exchanges: [
      [
        `${AVAILABLE}?state=CA&quantity=1&LCA=false&enableTNDetail=true`,
        [
          400,
          '<SearchResult><Error><Code>4010</Code><Description>No</Description></Error></SearchResult>',
        ],
      ],
    ],
    result: fault('later', 'No (4010)'),
  },
]

const FIND = `${AVAILABLE}?npaNxxx=4152000&quantity=1000&enableTNDetail=true`

const find: NumberCase[] = [
  {
    when: 'a number for sale is found in its block of a thousand',
    run: (source) => source.find(NUMBER),
    exchanges: [[FIND, details({ FullNumber: '4152000002' }, { FullNumber: DIGITS, State: 'CA' })]],
    result: { number: NUMBER, location: 'CA' },
  },
  {
    when: 'a number is not for sale',
    run: (source) => source.find(NUMBER),
    exchanges: [[FIND, details({ FullNumber: '4152000002' })]],
    result: null,
  },
]

const ordered = (peer: string) =>
  `<Order><CustomerOrderId>ref-1</CustomerOrderId><Name>ref-1</Name><ExistingTelephoneNumberOrderType><TelephoneNumberList><TelephoneNumber>${DIGITS}</TelephoneNumber></TelephoneNumberList></ExistingTelephoneNumberOrderType><SiteId>11</SiteId><PeerId>${peer}</PeerId></Order>`

const ordering = (when: string, reply: Reply, result: unknown, ...more: Exchange[]) => ({
  ...{ when, result },
  run: (source: NumberSource) => source.order(ORDER),
  exchanges: [[`POST ${ACCOUNT}/orders`, reply, ordered('p-1')] as const, ...more],
})

const answered = (status: string) =>
  [201, `<OrderResponse><OrderStatus>${status}</OrderStatus></OrderResponse>`] as const
const TAKEN =
  '<OrderResponse><Error><Code>5005</Code><Description>It is taken</Description></Error></OrderResponse>'

const order: NumberCase[] = [
  ordering('it is pending', answered('RECEIVED'), { kind: 'pending' }),
  ordering('it failed', answered('FAILED'), UNDELIVERED),
  ordering('the number is there', answered('COMPLETE'), DONE, owned(true)),
  ordering('an order for one number is done in part', answered('PARTIAL'), DONE, owned(true)),
  ordering('the number is not there yet', answered('COMPLETE'), { kind: 'pending' }, owned(false)),
  ordering('nobody knows if it is there', answered('COMPLETE'), { kind: 'pending' }, [
    owned(true)[0],
    [500],
  ]),
  ordering(
    'the response has no status',
    [201, '<OrderResponse/>'],
    fault('unknown', 'An order without a status.'),
  ),
  ordering('nothing answers there', [404], fault('unknown', 'An order without a status.')),
  ordering(
    'the response is lost',
    'cut',
    fault('unknown', 'The connection was closed before the answer was complete.'),
  ),
  ordering('somebody else has it', [400, TAKEN], fault('refused', 'It is taken (5005)')),
  {
    when: 'a number without a location goes into the one of the link',
    run: (source) => source.order({ ...ORDER, profileId: null }),
    exchanges: [[`POST ${ACCOUNT}/orders`, answered('RECEIVED'), ordered('22')]],
    result: { kind: 'pending' },
  },
]

const stored = (status: string, reference?: string) => {
  const named = reference === undefined ? '' : `<CustomerOrderId>${reference}</CustomerOrderId>`
  return `<OrderIdUserIdDate>${named}<OrderStatus>${status}</OrderStatus></OrderIdUserIdDate>`
}

const finding = (when: string, orders: string[], result: unknown, ...more: Exchange[]) => ({
  ...{ when, result },
  run: (source: NumberSource) => source.findOrder(ORDER),
  exchanges: [
    [
      `GET ${ACCOUNT}/orders?customerOrderId=ref-1`,
      [200, `<ResponseSelectWrapper>${orders.join('')}</ResponseSelectWrapper>`],
    ] as const,
    ...more,
  ],
})

const OTHERS = [stored('COMPLETE', 'ref-10'), stored('RECEIVED', 'ref-2')]

const findOrder: NumberCase[] = [
  finding('one is pending', [...OTHERS, stored('RECEIVED', 'ref-1')], { kind: 'pending' }),
  finding('its reference is not repeated', [stored('FAILED')], UNDELIVERED),
  finding(
    'one of two failed',
    [stored('FAILED', 'ref-1'), stored('PARTIAL', 'ref-1')],
    DONE,
    owned(true),
  ),
  finding('there is none', OTHERS, { kind: 'none' }, owned(false)),
  finding('there is none, but it is ours', OTHERS, DONE, owned(true)),
  {
    when: 'the account has no orders',
    run: (source) => source.findOrder(ORDER),
    exchanges: [[`GET ${ACCOUNT}/orders?customerOrderId=ref-1`, [404]], owned(false)],
    result: { kind: 'none' },
  },
]

/** Locations are created by hand. */
const findProfile: NumberCase[] = [
  {
    when: 'each campaign is in the location of the link',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: [],
    result: '22',
  },
]
const createProfile: NumberCase[] = [
  {
    when: 'a location is not created',
    run: (source) => source.createProfile(CAMPAIGN),
    exchanges: [],
    result: '22',
  },
]

const LOCATION = `${ACCOUNT}/sites/11/sippeers/p%2F2`
const IN_LOCATION = `GET ${LOCATION}/tns/${DIGITS}`
const moved: Exchange = [
  `POST ${LOCATION}/movetns`,
  [201, '<MoveTnsOrderResponse/>'],
  `<SipPeerTelephoneNumbers><FullNumber>${DIGITS}</FullNumber></SipPeerTelephoneNumbers>`,
]

const binding = (when: string, result: boolean, ...exchanges: Exchange[]) => ({
  ...{ when, result, exchanges },
  run: (source: NumberSource) => source.bind(OWNED, 'p/2', null),
})

const bind: NumberCase[] = [
  binding('it is in the location', true, [IN_LOCATION, [200, '']]),
  binding('it moves there', true, [IN_LOCATION, [404]], moved, [IN_LOCATION, [200, '']]),
  binding('its move takes time', false, [IN_LOCATION, [404]], moved, [IN_LOCATION, [404]]),
]

const disconnected: Exchange = [
  `POST ${ACCOUNT}/disconnects`,
  [201, '<DisconnectTelephoneNumberOrderResponse/>'],
  `<DisconnectTelephoneNumberOrder><Name>longcode ${NUMBER}</Name><DisconnectTelephoneNumberOrderType><TelephoneNumberList><TelephoneNumber>${DIGITS}</TelephoneNumber></TelephoneNumberList></DisconnectTelephoneNumberOrderType></DisconnectTelephoneNumberOrder>`,
]

const releasing = (when: string, result: boolean, ...exchanges: Exchange[]) => ({
  ...{ when, result, exchanges },
  run: (source: NumberSource) => source.release(OWNED),
})

const release: NumberCase[] = [
  releasing('it is no longer ours', true, owned(false)),
  releasing('it is disconnected', true, owned(true), disconnected, owned(false)),
  releasing('its disconnection takes time', false, owned(true), disconnected, owned(true)),
]

export const BANDWIDTH_NUMBERS: NumberCases = {
  ...{ search, find, order, findOrder, findProfile, createProfile, bind, release },
}
