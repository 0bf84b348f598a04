// Numbers at Twilio: each request, and what each documented response means.

import { findAreaCode } from '../../../src/numbers/nearby.js'
import type { NumberSource } from '../../../src/numbers/number-source.js'
import { type Exchange, fault, type Reply, SID } from './exchange.js'
import {
  CALLBACK_URL,
  CAMPAIGN,
  DIGITS,
  NUMBER,
  type NumberCase,
  type NumberCases,
  ORDER,
  OTHER,
  PROFILE_NAME,
} from './number-cases.js'

const OWNED = { numberId: 'PN/1', phoneNumber: NUMBER }
const ACCOUNT = `/2010-04-01/Accounts/${SID}`
const AVAILABLE = `GET ${ACCOUNT}/AvailablePhoneNumbers/US/Local.json?SmsEnabled=true&MmsEnabled=true&VoiceEnabled=true`
const PLACE = findAreaCode('415')!
const NEAR = `&NearLatLong=${PLACE.latitude},${PLACE.longitude}&Distance=100`
const SERVICES = '/messaging/v1/Services'

const offers = (...available_phone_numbers: unknown[]) =>
  [200, { available_phone_numbers }] as const

const search: NumberCase[] = [
  {
    when: 'an area code is searched: only US numbers, each with its city and state',
    run: (source) => source.search({ areaCode: '415', nearby: true, limit: 7 }),
    exchanges: [
      [
        `${AVAILABLE}&AreaCode=415&PageSize=7`,
        offers(
          { phone_number: '+14152000001', locality: 'San Francisco', region: 'CA' },
          { phone_number: '+14152000002', region: 'CA' },
          { phone_number: '+14152000003', locality: '' },
          { phone_number: '+442071234567' },
          { phone_number: '+1415200000' },
          { phone_number: '+141520000011' },
          { locality: 'Oakland' },
          'nonsense',
        ),
      ],
    ],
    result: [
      { number: '+14152000001', location: 'San Francisco, CA' },
      { number: '+14152000002', location: 'CA' },
      { number: '+14152000003', location: null },
    ],
  },
  {
    when: 'the area code has none: within a hundred miles of it',
    run: (source) => source.search({ areaCode: '415', nearby: true, limit: 7 }),
    exchanges: [
      [`${AVAILABLE}&AreaCode=415&PageSize=7`, offers()],
      [`${AVAILABLE}${NEAR}&PageSize=7`, offers({ phone_number: '+15102000001' })],
    ],
    result: [{ number: '+15102000001', location: null }],
  },
  {
    when: 'the area code has none, and nearby places are not acceptable',
    run: (source) => source.search({ areaCode: '415', nearby: false, limit: 7 }),
    exchanges: [[`${AVAILABLE}&AreaCode=415&PageSize=7`, [404]]],
    result: [],
  },
  {
    when: 'nobody knows where the area code is',
    run: (source) => source.search({ areaCode: '999', nearby: true, limit: 7 }),
    exchanges: [[`${AVAILABLE}&AreaCode=999&PageSize=7`, offers()]],
    result: [],
  },
  {
    when: 'any area code, with the largest page that there is',
    run: (source) => source.search({ areaCode: null, nearby: true, limit: 1_001 }),
    exchanges: [[`${AVAILABLE}&PageSize=1000`, [200, 'nonsense']]],
    result: [],
  },
  {
    when: 'the search is throttled',
    run: (source) => source.search({ areaCode: null, nearby: true, limit: 1_000 }),
    exchanges: [
      [`${AVAILABLE}&PageSize=1000`, [429, { code: 20429, message: 'Too many requests' }]],
    ],
    result: fault('later', 'HTTP 429 20429 Too many requests'),
  },
]

const FIND = `${AVAILABLE}&Contains=${DIGITS}&PageSize=10`

const find: NumberCase[] = [
  {
    when: 'a number for sale is found among similar ones',
    run: (source) => source.find(NUMBER),
    exchanges: [[FIND, offers({ phone_number: OTHER }, { phone_number: NUMBER, region: 'CA' })]],
    result: { number: NUMBER, location: 'CA' },
  },
  {
    when: 'a number is not for sale',
    run: (source) => source.find(NUMBER),
    exchanges: [[FIND, offers({ phone_number: OTHER })]],
    result: null,
  },
]

const ORDERED = { PhoneNumber: NUMBER, FriendlyName: 'ref-1', SmsUrl: CALLBACK_URL }

const ordering = (when: string, reply: Reply, result: unknown): NumberCase => ({
  ...{ when, result },
  run: (source: NumberSource) => source.order(ORDER),
  exchanges: [[`POST ${ACCOUNT}/IncomingPhoneNumbers.json`, reply, ORDERED]],
})

const order: NumberCase[] = [
  ordering('the number is ours', [201, { sid: 'PN9' }], { kind: 'done', numberId: 'PN9' }),
  ordering('it has no id', [201, {}], fault('unknown', 'A number without an id.')),
  ordering(
    'the response is lost',
    'cut',
    fault('unknown', 'The connection was closed before the answer was complete.'),
  ),
  ordering(
    'somebody else has it',
    [400, { code: 21422, message: 'Not available' }],
    fault('refused', 'Not available (21422)'),
  ),
  ordering(
    'the key is refused',
    [401, { code: 20003, message: 'Authenticate' }],
    fault('later', 'HTTP 401 20003 Authenticate'),
  ),
]

const finding = (when: string, numbers: unknown[], result: unknown): NumberCase => ({
  ...{ when, result },
  run: (source: NumberSource) => source.findOrder(ORDER),
  exchanges: [
    [
      `GET ${ACCOUNT}/IncomingPhoneNumbers.json?PhoneNumber=${NUMBER}`,
      [200, { incoming_phone_numbers: numbers }],
    ],
  ],
})

const findOrder: NumberCase[] = [
  finding(
    'it is ours',
    [
      { sid: 'PN8', phone_number: OTHER },
      { sid: 'PN9', phone_number: NUMBER },
    ],
    {
      ...{ kind: 'done', numberId: 'PN9' },
    },
  ),
  finding('another is ours', [{ sid: 'PN8', phone_number: OTHER }], { kind: 'none' }),
  finding('it has no id', [{ phone_number: NUMBER }], { kind: 'none' }),
]

const page = (number: number, ...names: string[]): Reply => {
  const services = names.map((name, i) => ({ sid: `MG${number}${i}`, friendly_name: name }))
  // Another host: only the query string of the next page counts.
  const next = `https://elsewhere.test/v9/Services?PageSize=500&Page=${number + 1}`
  return [200, { services, meta: { next_page_url: next } }]
}
const pageAt = (number: number) =>
  `GET ${SERVICES}?PageSize=500${number === 0 ? '' : `&Page=${number}`}`

const findProfile: NumberCase[] = [
  {
    when: 'a service is found by its whole name on the second page',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: [
      [pageAt(0), page(0, `${PROFILE_NAME}x`)],
      [pageAt(1), page(1, 'longcode', PROFILE_NAME)],
    ],
    result: 'MG11',
  },
  {
    when: 'no service has the name, and this is the last page',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: [[pageAt(0), [200, { services: [], meta: { next_page_url: null } }]]],
    result: null,
  },
  {
    when: 'the next page has no query',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: [[pageAt(0), [200, { services: [], meta: { next_page_url: 'https://x.test/' } }]]],
    result: null,
  },
  {
    when: 'pages without an end are read only up to the twentieth',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: Array.from({ length: 20 }, (_, i): Exchange => [pageAt(i), page(i, 'other')]),
    result: null,
  },
]

const MADE_SERVICE = {
  ...{ FriendlyName: PROFILE_NAME, InboundRequestUrl: CALLBACK_URL, InboundMethod: 'POST' },
  ...{ SmartEncoding: 'false', StickySender: 'false' },
}

const createProfile: NumberCase[] = [
  {
    when: 'a service is created with our webhook, and changes neither texts nor senders',
    run: (source) => source.createProfile(CAMPAIGN),
    exchanges: [[`POST ${SERVICES}`, [201, { sid: 'MG9' }], MADE_SERVICE]],
    result: 'MG9',
  },
  {
    when: 'the response names no service',
    run: (source) => source.createProfile(CAMPAIGN),
    exchanges: [[`POST ${SERVICES}`, [201, {}], MADE_SERVICE]],
    result: fault('unknown', 'A service without an id.'),
  },
]

const binding = (when: string, reply: Reply, result: unknown): NumberCase => ({
  ...{ when, result },
  run: (source: NumberSource) => source.bind(OWNED, 'MG/1', null),
  exchanges: [[`POST ${SERVICES}/MG%2F1/PhoneNumbers`, reply, { PhoneNumberSid: 'PN/1' }]],
})

const bind: NumberCase[] = [
  binding('it joins the service', [201, { sid: 'PN/1' }], true),
  binding('it is in the service', [409, { code: 21710, message: 'Already in it' }], true),
  binding(
    'it is in another service',
    [409, { code: 21712, message: 'In another' }],
    fault('refused', 'In another (21712)'),
  ),
  binding(
    'the service is gone',
    [404],
    fault('later', 'The messaging service of the campaign is gone.'),
  ),
]

const unbind: NumberCase[] = [204, 404].map((status) => ({
  when: `a number leaves its service (${status})`,
  run: async (source) => source.unbind!(OWNED, 'MG/1'),
  exchanges: [[`DELETE ${SERVICES}/MG%2F1/PhoneNumbers/PN%2F1`, [status]]],
  result: undefined,
}))

const release: NumberCase[] = [204, 404].map((status) => ({
  when: `a number is released (${status})`,
  run: (source) => source.release(OWNED),
  exchanges: [[`DELETE ${ACCOUNT}/IncomingPhoneNumbers/PN%2F1.json`, [status]]],
  result: true,
}))

export const TWILIO_NUMBERS: NumberCases = {
  ...{ search, find, order, findOrder, findProfile, createProfile, bind, unbind, release },
}
