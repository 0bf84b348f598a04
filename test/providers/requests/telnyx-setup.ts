// The setup at Telnyx: each request, and what each documented response means.

import { type Exchange, fault, type Reply } from './exchange.js'
import {
  NAME,
  NUMBER,
  OLD_WEBHOOK,
  OTHER,
  OWNED,
  PHONE,
  type SetupCase,
  type SetupCases,
  TEST,
  unexpected,
  WEBHOOK,
} from './setup-cases.js'

const data = (content: unknown) => [200, { data: content }] as const
const DENIED: Reply = [403, { errors: [{ code: '10010', title: 'Authorization failed' }] }]
const PROFILES = '/v2/messaging_profiles'
const ONE_PROFILE = `GET ${PROFILES}?page[size]=1`
const MESSAGE = 'GET /v2/messages/m%2F1'

const checking = (when: string, balance: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: (client) => client.check(),
  exchanges: [
    [ONE_PROFILE, data([])],
    ['GET /v2/balance', balance],
  ],
})
const funds = (text: string | null, hasNoMoney = false) => ({ text, hasNoMoney, isTrial: false })
const credit = (available_credit: unknown, currency?: string) =>
  data({ available_credit, currency })

const check: SetupCase[] = [
  checking('there are funds', credit('25.00', 'EUR'), funds('Balance: 25.00 EUR.')),
  checking('the currency is missing', credit('0.01'), funds('Balance: 0.01 USD.')),
  checking('there are none', credit('0.00', 'USD'), funds('Balance: 0.00 USD.', true)),
  checking('there are debts', credit(-1, 'USD'), funds('Balance: -1 USD.', true)),
  checking('the key may not read the balance', DENIED, funds(null)),
  checking('the balance is lost', 'cut', funds(null)),
  ...[{ data: 'none' }, {}, { data: { id: 1 } }].map(
    (body): SetupCase => ({
      when: 'another API answers',
      run: (client) => client.check(),
      exchanges: [[ONE_PROFILE, [200, body]]],
      result: fault('refused', unexpected('its messaging profiles', 'Telnyx')),
    }),
  ),
]

const publicKey: SetupCase[] = (
  [
    ['it has one', data({ public: 'a2V5' }), 'a2V5'],
    ['it has none', [404, { errors: [] }], null],
    ['the key may not read it', DENIED, null],
  ] as const
).map(([when, reply, result]) => ({
  ...{ when, result },
  run: async (client) => client.publicKey!(),
  exchanges: [['GET /v2/public_key', reply]],
}))

const profile = (webhook_url?: string, name = NAME) => ({ id: 'p-1', name, webhook_url })
const FIND = `GET ${PROFILES}?filter[name]=${NAME}&page[size]=50`

const finding = (
  when: string,
  found: object[],
  result: unknown,
  url: string | null = WEBHOOK,
): SetupCase => ({
  ...{ when, result },
  run: (client) => client.findContainer(NAME, { url }),
  exchanges: [[FIND, data(found)]],
})
const same = { id: 'p-1', differs: [] }
const differs = (text: string) => ({ id: 'p-1', differs: [text] })

const findContainer: SetupCase[] = [
  finding('it is right', [{ id: 'p-0', name: `${NAME}x` }, profile(WEBHOOK)], same),
  finding('no webhook is wanted', [profile(OLD_WEBHOOK)], same, null),
  finding('its webhook differs', [profile(OLD_WEBHOOK)], differs(`its webhook was ${OLD_WEBHOOK}`)),
  finding('it has no webhook', [profile()], differs('its webhook was not set')),
  finding('another has a similar name', [profile(WEBHOOK, 'longcode')], null),
  finding('it has no id', [{ name: NAME }], null),
]

const MADE = { name: NAME, whitelisted_destinations: ['US', 'CA'], webhook_api_version: '2' }

const creating = (when: string, url: string | null, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: (client) => client.createContainer(NAME, { url }),
  exchanges: [[`POST ${PROFILES}`, reply, { ...MADE, ...(url !== null && { webhook_url: url }) }]],
})

const createContainer: SetupCase[] = [
  creating('with a webhook', WEBHOOK, data({ id: 'p-9' }), 'p-9'),
  creating('without a webhook', null, data({ id: 'p-9' }), 'p-9'),
  creating(
    'the response has no id',
    null,
    data({}),
    fault('refused', unexpected('a messaging profile', 'Telnyx')),
  ),
]

const changeContainer: SetupCase[] = [
  {
    when: 'the webhook is replaced',
    run: (client) => client.changeContainer('p/1', { url: WEBHOOK }),
    exchanges: [
      [`PATCH ${PROFILES}/p%2F1`, [200, {}], { webhook_url: WEBHOOK, webhook_api_version: '2' }],
    ],
    result: undefined,
  },
]

const listNumbers: SetupCase[] = [
  {
    when: 'active numbers are listed with their profiles',
    run: (client) => client.listNumbers(),
    exchanges: [
      [
        'GET /v2/phone_numbers?filter[status]=active&page[size]=250',
        data([
          { id: 'n-1', phone_number: NUMBER, messaging_profile_id: 'p-1' },
          { id: 'n-2', phone_number: OTHER },
          { phone_number: '+14152000003' },
          { id: 'n-4' },
        ]),
      ],
    ],
    result: [
      { id: 'n-1', phoneNumber: NUMBER, containerId: 'p-1' },
      { id: 'n-2', phoneNumber: OTHER, containerId: null },
    ],
  },
]

const putNumber: SetupCase[] = [
  {
    when: 'a number joins the profile',
    run: async (client) => client.putNumber!(OWNED, 'p-1'),
    exchanges: [
      ['PATCH /v2/phone_numbers/n%2F1/messaging', [200, {}], { messaging_profile_id: 'p-1' }],
    ],
    result: undefined,
  },
]

const registering = (when: string, reply: Reply, result: boolean | null): SetupCase => ({
  ...{ when, result },
  run: (client) => client.isRegistered(OWNED, 'p-1'),
  exchanges: [['GET /v2/10dlc/phone_number_campaigns?recordsPerPage=500', reply]],
})
const assigned = (phoneNumber: string, assignmentStatus: string) =>
  [200, { records: [{ phoneNumber, assignmentStatus }] }] as const

const isRegistered: SetupCase[] = [
  registering('it is in a campaign', assigned(NUMBER, 'ASSIGNED'), true),
  registering('it joins a campaign', assigned(NUMBER, 'PENDING_ASSIGNMENT'), true),
  registering('its assignment failed', assigned(NUMBER, 'FAILED_ASSIGNMENT'), false),
  registering('another is in a campaign', assigned(OTHER, 'ASSIGNED'), false),
  registering('the key may not read campaigns', DENIED, null),
  registering('the list is missing', [200, {}], null),
]

const SENT = { from: NUMBER, to: PHONE, text: 'Test', type: 'SMS' }

const sending = (when: string, statusUrl: string | null, reply: Reply, result: unknown) =>
  ({
    ...{ when, result },
    run: (client) => client.send({ ...TEST, statusUrl }),
    exchanges: [
      [
        'POST /v2/messages',
        reply,
        { ...SENT, ...(statusUrl !== null && { webhook_url: statusUrl }) },
      ],
    ],
  }) satisfies SetupCase

const send: SetupCase[] = [
  sending('with a callback', WEBHOOK, data({ id: 'm-1' }), 'm-1'),
  sending('without a callback', null, data({ id: 'm-1' }), 'm-1'),
  sending(
    'the response has no id',
    null,
    data({}),
    fault('refused', unexpected('the test message', 'Telnyx')),
  ),
]

/** The status of the test message, and its error. */
const outcomes: readonly (readonly [status: string | undefined, error: object, result: object])[] =
  [
    ['queued', {}, { state: 'waiting', text: 'queued', code: null }],
    ['sent', {}, { state: 'waiting', text: 'sent', code: null }],
    [undefined, {}, { state: 'waiting', text: 'queued', code: null }],
    ['delivered', {}, { state: 'delivered', text: 'delivered', code: null }],
    [
      'delivery_unconfirmed',
      {},
      { state: 'unconfirmed', text: 'delivery_unconfirmed', code: null },
    ],
    ['expired', {}, { state: 'failed', text: 'expired', code: null }],
    [
      'sending_failed',
      { code: '40001', detail: 'No route' },
      { state: 'failed', text: 'sending_failed 40001 No route', code: '40001' },
    ],
    [
      'delivery_failed',
      { code: '40002', title: 'Spam', detail: 'Blocked' },
      { state: 'failed', text: 'delivery_failed 40002 Spam', code: '40002' },
    ],
  ]
const outcomeOf: SetupCase[] = outcomes.map(([status, error, result]) => ({
  when: `the test message is ${status}`,
  run: (client) => client.outcomeOf('m/1'),
  exchanges: [[MESSAGE, data({ to: [{ status }], errors: [error] })] satisfies Exchange],
  result,
}))

export const TELNYX_SETUP: SetupCases = {
  ...{ check, publicKey, findContainer, createContainer, changeContainer, listNumbers },
  ...{ putNumber, isRegistered, send, outcomeOf },
}
