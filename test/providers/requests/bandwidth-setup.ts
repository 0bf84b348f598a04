// The setup at Bandwidth: each request, and what each documented response means. Its dashboard speaks XML, and its
// messages are JSON.

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

const ACCOUNT = '/dashboard/accounts/55'
const APPLICATIONS = `GET ${ACCOUNT}/applications`
const MESSAGES = '/api/v2/users/55/messages'
const ONE_MESSAGE = `GET ${MESSAGES}?limit=1`

const wrapped = (inside: string) =>
  `<ApplicationProvisioningResponse><ApplicationList>${inside}</ApplicationList></ApplicationProvisioningResponse>`
const NONE = [200, wrapped('')] as const
const HTML: Reply = [200, '<html>hello</html>']
const FINE = { text: null, hasNoMoney: false, isTrial: false }

const checking = (when: string, result: unknown, ...exchanges: Exchange[]): SetupCase => ({
  ...{ when, result, exchanges },
  run: (client) => client.check(),
})

const check: SetupCase[] = [
  checking('the user may do both', FINE, [APPLICATIONS, NONE], [ONE_MESSAGE, [200, {}]]),
  checking('it has no applications', FINE, [APPLICATIONS, [404]], [ONE_MESSAGE, [200, {}]]),
  checking(
    'another site answers for the dashboard',
    fault('refused', unexpected('its applications', 'Bandwidth')),
    [APPLICATIONS, HTML],
  ),
  checking(
    'another site answers for messages',
    fault('refused', unexpected('messages', 'Bandwidth')),
    [APPLICATIONS, NONE],
    [ONE_MESSAGE, HTML],
  ),
]

interface Shown {
  inbound?: string
  outbound?: string
  user?: string
  password?: string
  name?: string
}

const application = ({ inbound, outbound, user, password, name = NAME }: Shown) => {
  const text = (tag: string, value?: string) =>
    value === undefined ? '' : `<${tag}>${value}</${tag}>`
  const creds = text('UserId', user) + text('Password', password)
  const urls = text('InboundCallbackUrl', inbound) + text('OutboundCallbackUrl', outbound)
  return `<Application><ApplicationId>a-1</ApplicationId><AppName>${name}</AppName>${urls}<InboundCallbackCreds>${creds}</InboundCallbackCreds></Application>`
}

const OURS = { inbound: WEBHOOK, outbound: WEBHOOK, user: 'cu', password: '********' }
const CALLBACKS = { url: WEBHOOK, user: 'cu', password: 'hush-hush-hush', isNew: false }

const finding = (when: string, shown: Shown, differs: string[], callbacks = {}): SetupCase => ({
  when,
  run: (client) => client.findContainer(NAME, { ...CALLBACKS, ...callbacks }),
  exchanges: [
    [APPLICATIONS, [200, wrapped(application({ ...OURS, name: `${NAME}x` }) + application(shown))]],
  ],
  result: { id: 'a-1', differs },
})

const PASSWORD = 'its password was different'

const findContainer: SetupCase[] = [
  finding('it is right', OURS, []),
  finding('it shows our password', { ...OURS, password: 'hush-hush-hush' }, []),
  finding('it shows no password', { inbound: WEBHOOK, outbound: WEBHOOK, user: 'cu' }, []),
  finding('it shows another password', { ...OURS, password: 'another' }, [PASSWORD]),
  finding('it shows a password with stars', { ...OURS, password: '**a**' }, [PASSWORD]),
  finding('it has another user', { ...OURS, user: 'other' }, [PASSWORD]),
  finding('our password is new', OURS, [PASSWORD], { isNew: true }),
  finding('no webhook is wanted', { user: 'cu', inbound: OLD_WEBHOOK }, [], { url: null }),
  finding('its webhooks differ', { user: 'cu', inbound: OLD_WEBHOOK }, [
    `its InboundCallbackUrl was ${OLD_WEBHOOK}`,
    'its OutboundCallbackUrl was not set',
  ]),
  {
    when: 'another has a similar name',
    run: (client) => client.findContainer(NAME, CALLBACKS),
    exchanges: [[APPLICATIONS, [200, wrapped(application({ ...OURS, name: 'longcode' }))]]],
    result: null,
  },
  {
    when: 'the account has none',
    run: (client) => client.findContainer(NAME, CALLBACKS),
    exchanges: [[APPLICATIONS, [404]]],
    result: null,
  },
]

const creds = (tag: string) =>
  `<${tag}><UserId>cu</UserId><Password>hush-hush-hush</Password></${tag}>`
const CREDS = creds('InboundCallbackCreds') + creds('OutboundCallbackCreds')
const URLS = `<InboundCallbackUrl>${WEBHOOK}</InboundCallbackUrl><OutboundCallbackUrl>${WEBHOOK}</OutboundCallbackUrl>`

const creating = (when: string, url: string | null, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: (client) => client.createContainer(NAME, { ...CALLBACKS, url }),
  exchanges: [
    [
      `POST ${ACCOUNT}/applications`,
      reply,
      `<Application><ServiceType>Messaging-V2</ServiceType><AppName>${NAME}</AppName>${url === null ? '' : URLS}${CREDS}</Application>`,
    ],
  ],
})
const UNKNOWN = fault('refused', unexpected('an application', 'Bandwidth'))

const createContainer: SetupCase[] = [
  creating('with a webhook', WEBHOOK, [201, application(OURS)], 'a-1'),
  creating('without a webhook', null, [201, application(OURS)], 'a-1'),
  creating('the response has no id', null, [201, '<Application/>'], UNKNOWN),
  creating('nothing answers there', null, [404], UNKNOWN),
]

const changeContainer: SetupCase[] = [
  {
    when: 'the webhook and the password are replaced',
    run: (client) => client.changeContainer('a/1', CALLBACKS),
    exchanges: [
      [
        `PATCH ${ACCOUNT}/applications/a%2F1`,
        [200, ''],
        `<Application>${URLS}${CREDS}</Application>`,
      ],
    ],
    result: undefined,
  },
]

const listing = (when: string, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: (client) => client.listNumbers(),
  exchanges: [[`GET ${ACCOUNT}/inserviceNumbers?page=1&size=500`, reply]],
})
const listed = (id: string) => ({ id, phoneNumber: `+1${id}`, containerId: null })
const numbers = (...list: string[]) =>
  list.map((one) => `<TelephoneNumber>${one}</TelephoneNumber>`).join('')

const listNumbers: SetupCase[] = [
  listing(
    'it has some',
    [200, `<TNs>${numbers('4152000001', '415200000', '41520000011', 'x', '4152000002')}</TNs>`],
    [listed(NUMBER.slice(2)), listed(OTHER.slice(2))],
  ),
  listing('it has none', [404], []),
]

const PEERS = `GET ${ACCOUNT}/applications/a%2F1/associatedsippeers`
const tying = (when: string, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: async (client) => client.isTied!('a/1'),
  exchanges: [[PEERS, reply]],
})

const isTied: SetupCase[] = [
  tying('a location has the application', [200, '<Peers><PeerId>22</PeerId></Peers>'], true),
  tying('no location has it', [200, '<Peers/>'], false),
  tying('nothing answers there', [404], false),
  tying(
    'it is refused',
    [400],
    fault('later', 'Bandwidth refused the locations of the application (HTTP 400).'),
  ),
]

/** With a sub-account and a location. */
const PLACE = `${ACCOUNT}/sites/11/sippeers/22/products/messaging/applicationSettings`
const linked = (id: string) =>
  [200, `<Settings><HttpMessagingV2AppId>${id}</HttpMessagingV2AppId></Settings>`] as const

export const BANDWIDTH_LOCATION: SetupCase[] = [
  ...(
    [
      ['the location has the application', linked('a-1'), true],
      ['the location has another application', linked('a-2'), false],
      ['the location has none', [200, '<Settings/>'], false],
      ['there is no such location', [404], false],
    ] as const
  ).map(
    ([when, reply, result]): SetupCase => ({
      ...{ when, result },
      run: async (client) => client.isTied!('a-1'),
      exchanges: [[`GET ${PLACE}`, reply]],
    }),
  ),
  {
    when: 'the location gets the application',
    run: async (client) => client.tie!('a-1'),
    exchanges: [
      [
        `PUT ${PLACE}`,
        [200, ''],
        '<ApplicationsSettings><HttpMessagingV2AppId>a-1</HttpMessagingV2AppId></ApplicationsSettings>',
      ],
    ],
    result: undefined,
  },
]

const isRegistered: SetupCase[] = [
  {
    when: 'the dashboard does not report it',
    run: (client) => client.isRegistered(OWNED, 'a-1'),
    exchanges: [],
    result: null,
  },
]

const sending = (when: string, reply: Reply, result: unknown): SetupCase => ({
  ...{ when, result },
  run: (client) => client.send({ ...TEST, statusUrl: WEBHOOK }),
  exchanges: [
    [`POST ${MESSAGES}`, reply, { applicationId: 'c-1', to: [PHONE], from: NUMBER, text: 'Test' }],
  ],
})

const send: SetupCase[] = [
  sending('it is accepted', [202, { id: 'm-1' }], 'm-1'),
  sending(
    'the response has no id',
    [202, {}],
    fault('refused', unexpected('the test message', 'Bandwidth')),
  ),
]

/** The status of the test message, and its code. */
const outcomes: readonly (readonly [message: object, result: object])[] = [
  [{}, { state: 'waiting', text: 'QUEUED', code: null }],
  [
    { messageStatus: 'SENT', errorCode: 0 },
    { state: 'waiting', text: 'SENT', code: null },
  ],
  [{ messageStatus: 'DELIVERED' }, { state: 'delivered', text: 'DELIVERED', code: null }],
  [
    { messageStatus: 'FAILED', errorCode: 4720 },
    { state: 'failed', text: 'FAILED 4720', code: '4720' },
  ],
  [
    { messageStatus: 'UNDELIVERED', errorCode: 4750 },
    { state: 'failed', text: 'UNDELIVERED 4750', code: '4750' },
  ],
]
const outcomeOf: SetupCase[] = outcomes.map(([message, result]) => ({
  when: `the test message is ${JSON.stringify(message)}`,
  run: (client) => client.outcomeOf('m/1'),
  exchanges: [[`GET ${MESSAGES}?messageId=m/1`, [200, { messages: [message] }]]],
  result,
}))

export const BANDWIDTH_SETUP: SetupCases = {
  ...{ check, findContainer, createContainer, changeContainer, listNumbers },
  ...{ isTied, isRegistered, send, outcomeOf },
}
