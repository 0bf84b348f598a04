// The setup at Twilio: each request, and what each documented response means.

import { type Exchange, fault, type Reply, SID } from './exchange.js'
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

const ACCOUNT = `/2010-04-01/Accounts/${SID}`
const SERVICES = '/messaging/v1/Services'
const FIRST_PAGE = `GET ${SERVICES}?PageSize=500`
const DENIED: Reply = [403, { code: 20003, message: 'Permission denied' }]

const account = (status?: string, type = 'Full'): Exchange => [
  `GET ${ACCOUNT}.json`,
  [200, { status, type }],
]
const MESSAGES: Exchange = [`GET ${ACCOUNT}/Messages.json?PageSize=1`, [200, { messages: [] }]]

const checking = (when: string, balance: Reply, result: unknown, type?: string): SetupCase => ({
  ...{ when, result },
  run: (client) => client.check(),
  exchanges: [account('active', type), MESSAGES, [`GET ${ACCOUNT}/Balance.json`, balance]],
})
const funds = (text: string | null, hasNoMoney = false, isTrial = false) => ({
  ...{ text, hasNoMoney, isTrial },
})

const check: SetupCase[] = [
  checking(
    'there are funds',
    [200, { balance: '9.5', currency: 'EUR' }],
    funds('Balance: 9.5 EUR.'),
  ),
  checking('the currency is missing', [200, { balance: '0.01' }], funds('Balance: 0.01 USD.')),
  checking('there are none', [200, { balance: '0' }], funds('Balance: 0 USD.', true)),
  checking('there are debts', [200, { balance: '-2' }], funds('Balance: -2 USD.', true)),
  checking('the balance is denied', DENIED, funds(null)),
  checking('it is a trial', DENIED, funds(null, false, true), 'Trial'),
  {
    when: 'the key may not send',
    run: (client) => client.check(),
    exchanges: [account('active'), [MESSAGES[0], DENIED]],
    result: fault(
      'later',
      'Twilio accepted the key, but it has no permission for messages (HTTP 403, 20003 Permission denied). Add the permission, or use another key.',
    ),
  },
  {
    when: 'the account is suspended',
    run: (client) => client.check(),
    exchanges: [account('suspended')],
    result: fault('refused', 'The Twilio account is suspended. Contact Twilio for the reason.'),
  },
  {
    when: 'another API answers',
    run: (client) => client.check(),
    exchanges: [account()],
    result: fault('refused', unexpected('the account', 'Twilio')),
  },
]

const service = (inbound_request_url?: string, friendly_name = NAME) => ({
  ...{ sid: 'MG1', friendly_name, inbound_request_url },
})
const services = (...list: object[]) =>
  [200, { services: list, meta: { next_page_url: null } }] as const

const finding = (
  when: string,
  found: object[],
  result: unknown,
  url: string | null = WEBHOOK,
): SetupCase => ({
  ...{ when, result },
  run: (client) => client.findContainer(NAME, { url }),
  exchanges: [[FIRST_PAGE, services(...found)]],
})
const same = { id: 'MG1', differs: [] }
const differs = (text: string) => ({ id: 'MG1', differs: [text] })

const findContainer: SetupCase[] = [
  finding('it is right', [service(WEBHOOK, `${NAME}x`), service(WEBHOOK)], same),
  finding('no webhook is wanted', [service(OLD_WEBHOOK)], same, null),
  finding('its webhook differs', [service(OLD_WEBHOOK)], differs(`its webhook was ${OLD_WEBHOOK}`)),
  finding('it has no webhook', [service()], differs('its webhook was not set')),
  finding('another has a similar name', [service(WEBHOOK, 'longcode')], null),
  finding('it has no id', [{ friendly_name: NAME }], null),
  {
    when: 'another API answers',
    run: (client) => client.findContainer(NAME, { url: null }),
    exchanges: [[FIRST_PAGE, [200, { services: 'none' }]]],
    result: fault('refused', unexpected('its messaging services', 'Twilio')),
  },
]

const MADE = { SmartEncoding: 'false', StickySender: 'false', UseInboundWebhookOnNumber: 'false' }
const HOOKED = { InboundRequestUrl: WEBHOOK, InboundMethod: 'POST', ...MADE }

const creating = (when: string, url: string | null, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: (client) => client.createContainer(NAME, { url }),
  exchanges: [
    [`POST ${SERVICES}`, reply, { FriendlyName: NAME, ...(url === null ? MADE : HOOKED) }],
  ],
})

const createContainer: SetupCase[] = [
  creating('with a webhook', WEBHOOK, [201, { sid: 'MG9' }], 'MG9'),
  creating('without a webhook', null, [201, { sid: 'MG9' }], 'MG9'),
  creating(
    'the response has no id',
    null,
    [201, {}],
    fault('refused', unexpected('a messaging service', 'Twilio')),
  ),
]

const changeContainer: SetupCase[] = [
  {
    when: 'the webhook is replaced',
    run: (client) => client.changeContainer('MG/1', { url: WEBHOOK }),
    exchanges: [[`POST ${SERVICES}/MG%2F1`, [200, {}], HOOKED]],
    result: undefined,
  },
]

const NUMBERS: Exchange = [
  `GET ${ACCOUNT}/IncomingPhoneNumbers.json?PageSize=500`,
  [
    200,
    {
      incoming_phone_numbers: [
        { sid: 'PN1', phone_number: NUMBER },
        { sid: 'PN2', phone_number: OTHER },
        { phone_number: '+14152000003' },
        { sid: 'PN4' },
      ],
    },
  ],
]
const listed = (containerId: string | null) => [
  { id: 'PN1', phoneNumber: NUMBER, containerId: null },
  { id: 'PN2', phoneNumber: OTHER, containerId },
]
const IN_SERVICE: Exchange = [
  `GET ${SERVICES}/MG%2F1/PhoneNumbers?PageSize=500`,
  [200, { phone_numbers: [{ phone_number: OTHER }, {}, { phone_number: '+14152000009' }] }],
]

const listNumbers: SetupCase[] = [
  {
    when: 'the account does not have our service',
    run: async (client) => {
      await client.findContainer('longcode none', { url: null })
      return client.listNumbers()
    },
    exchanges: [[FIRST_PAGE, services(service())], NUMBERS],
    result: listed(null),
  },
  {
    when: 'our service was found: its numbers are marked',
    run: async (client) => {
      await client.findContainer(NAME, { url: null })
      return client.listNumbers()
    },
    exchanges: [[FIRST_PAGE, services({ ...service(), sid: 'MG/1' })], NUMBERS, IN_SERVICE],
    result: listed('MG/1'),
  },
  {
    when: 'our service was created: its numbers are marked',
    run: async (client) => {
      await client.createContainer(NAME, { url: null })
      return client.listNumbers()
    },
    exchanges: [
      [`POST ${SERVICES}`, [201, { sid: 'MG/1' }], { FriendlyName: NAME, ...MADE }],
      NUMBERS,
      IN_SERVICE,
    ],
    result: listed('MG/1'),
  },
  {
    when: 'the numbers of our service are refused',
    run: async (client) => {
      await client.findContainer(NAME, { url: null })
      return client.listNumbers()
    },
    exchanges: [
      [FIRST_PAGE, services({ ...service(), sid: 'MG/1' })],
      NUMBERS,
      [IN_SERVICE[0], [400]],
    ],
    result: fault('later', 'Twilio refused the numbers of the service (HTTP 400).'),
  },
]

const putting = (when: string, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: async (client) => client.putNumber!(OWNED, 'MG/1'),
  exchanges: [[`POST ${SERVICES}/MG%2F1/PhoneNumbers`, reply, { PhoneNumberSid: 'n/1' }]],
})

const putNumber: SetupCase[] = [
  putting('it joins the service', [201, {}], undefined),
  putting('it is in the service', [409, { code: 21710, message: 'In it' }], undefined),
  putting(
    'it is in another service',
    [409, { code: 21712, message: 'In another' }],
    fault('refused', 'Twilio refused the number’s messaging service (HTTP 409, 21712 In another).'),
  ),
]

const registering = (when: string, reply: Reply, result: boolean | null): SetupCase => ({
  ...{ when, result },
  run: (client) => client.isRegistered(OWNED, 'MG/1'),
  exchanges: [[`GET ${SERVICES}/MG%2F1/Compliance/Usa2p?PageSize=50`, reply]],
})
const campaigns = (...states: string[]) =>
  [200, { compliance: states.map((campaign_status) => ({ campaign_status })) }] as const

const isRegistered: SetupCase[] = [
  registering('one of its campaigns is verified', campaigns('FAILED', 'VERIFIED'), true),
  registering('its campaign is in review', campaigns('IN_PROGRESS'), false),
  registering('it has no campaign', campaigns(), false),
  registering('the key may not read campaigns', DENIED, null),
  registering('the list is missing', [200, {}], null),
]

const SENT = { From: NUMBER, To: PHONE, Body: 'Test', SmartEncoded: 'false' }

const sending = (when: string, statusUrl: string | null, reply: Reply, result: unknown) =>
  ({
    ...{ when, result },
    run: (client) => client.send({ ...TEST, statusUrl }),
    exchanges: [
      [
        `POST ${ACCOUNT}/Messages.json`,
        reply,
        { ...SENT, ...(statusUrl !== null && { StatusCallback: statusUrl }) },
      ],
    ],
  }) satisfies SetupCase

const send: SetupCase[] = [
  sending('with a callback', WEBHOOK, [201, { sid: 'SM1' }], 'SM1'),
  sending('without a callback', null, [201, { sid: 'SM1' }], 'SM1'),
  sending(
    'the response has no id',
    null,
    [201, {}],
    fault('refused', unexpected('the test message', 'Twilio')),
  ),
]

/** The fields of the test message. */
const outcomes: readonly (readonly [message: Record<string, unknown>, result: object])[] = [
  [{}, { state: 'waiting', text: 'queued', code: null }],
  [{ status: 'sent' }, { state: 'waiting', text: 'sent', code: null }],
  [{ status: 'delivered' }, { state: 'delivered', text: 'delivered', code: null }],
  [{ status: 'read' }, { state: 'delivered', text: 'read', code: null }],
  [{ status: 'canceled' }, { state: 'failed', text: 'canceled', code: null }],
  [
    { status: 'failed', error_code: 30007, error_message: 'Filtered' },
    { state: 'failed', text: 'failed 30007 Filtered', code: '30007' },
  ],
  [
    { status: 'undelivered', error_code: 30003, error_message: null },
    { state: 'failed', text: 'undelivered 30003', code: '30003' },
  ],
]
const outcomeOf: SetupCase[] = outcomes.map(([message, result]) => ({
  when: `the test message is ${JSON.stringify(message)}`,
  run: (client) => client.outcomeOf('SM/1'),
  exchanges: [[`GET ${ACCOUNT}/Messages/SM%2F1.json`, [200, message]]],
  result,
}))

export const TWILIO_SETUP: SetupCases = {
  ...{ check, findContainer, createContainer, changeContainer, listNumbers },
  ...{ putNumber, isRegistered, send, outcomeOf },
}
