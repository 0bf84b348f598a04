// Numbers at Telnyx that are ours: bound to the profile and the registered campaign, forwarded, and released.

import type { NumberSource } from '../../../src/numbers/number-source.js'
import { type Exchange, fault, type Reply } from './exchange.js'
import {
  CALLBACK_URL,
  CAMPAIGN,
  DIGITS,
  NUMBER,
  type NumberCase,
  OTHER,
  PROFILE_NAME,
} from './number-cases.js'

const OWNED = { numberId: 'n/1', phoneNumber: NUMBER }
const ASSIGNMENTS = '/v2/10dlc/phone_number_campaigns'
const OWN_ASSIGNMENT = `${ASSIGNMENTS}/%2B1${DIGITS}`

const data = (...list: unknown[]) => [200, { data: list }] as const
const NOT_FOUND = [404, { errors: [{ code: '10005', title: 'Not found' }] }] as const

const FIND_PROFILE = `GET /v2/messaging_profiles?filter[name]=${PROFILE_NAME}&page[size]=50`
const MADE_PROFILE = {
  ...{ name: PROFILE_NAME, whitelisted_destinations: ['US', 'CA'] },
  ...{ webhook_url: CALLBACK_URL, webhook_api_version: '2' },
}

const findProfile: NumberCase[] = [
  {
    when: 'a profile is found by its whole name',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: [
      [FIND_PROFILE, data({ id: 'a', name: `${PROFILE_NAME}x` }, { id: 'b', name: PROFILE_NAME })],
    ],
    result: 'b',
  },
  {
    when: 'no profile has the name',
    run: (source) => source.findProfile(CAMPAIGN),
    exchanges: [[FIND_PROFILE, data({ id: 'a', name: 'longcode' })]],
    result: null,
  },
]

const createProfile: NumberCase[] = [
  {
    when: 'a profile is created with our webhook',
    run: (source) => source.createProfile(CAMPAIGN),
    exchanges: [['POST /v2/messaging_profiles', [200, { data: { id: 'p-9' } }], MADE_PROFILE]],
    result: 'p-9',
  },
  {
    when: 'the response names no profile',
    run: (source) => source.createProfile(CAMPAIGN),
    exchanges: [['POST /v2/messaging_profiles', [200, { data: {} }], MADE_PROFILE]],
    result: fault('unknown', 'A profile without an id.'),
  },
]

const PUT_IN_PROFILE = 'PATCH /v2/phone_numbers/n%2F1/messaging'
const IN_PROFILE: Exchange = [PUT_IN_PROFILE, [200, {}], { messaging_profile_id: 'p-2' }]

/** Binding to a registered campaign: its assignment there, and the requests after it. */
const assigning = (when: string, found: Reply, result: unknown, ...more: Exchange[]) => ({
  ...{ when, result },
  run: (source: NumberSource) => source.bind(OWNED, 'p-2', 'C1'),
  exchanges: [IN_PROFILE, [`GET ${OWN_ASSIGNMENT}`, found] as const, ...more],
})

const assignment = (campaignId: string, assignmentStatus: string, more = {}) =>
  [200, { campaignId, assignmentStatus, ...more }] as const
const assigned = (assignmentStatus: string): Exchange => [
  `POST ${ASSIGNMENTS}`,
  [200, { assignmentStatus }],
  { phoneNumber: NUMBER, campaignId: 'C1' },
]
const unassigned: Exchange = [`DELETE ${OWN_ASSIGNMENT}`]

const bind: NumberCase[] = [
  {
    when: 'a campaign is not registered there: only the profile',
    run: (source) => source.bind(OWNED, 'p-2', null),
    exchanges: [IN_PROFILE],
    result: true,
  },
  {
    when: 'the number is not there yet',
    run: (source) => source.bind(OWNED, 'p-2', 'C1'),
    exchanges: [[PUT_IN_PROFILE, NOT_FOUND, { messaging_profile_id: 'p-2' }]],
    result: fault('later', 'The number is not there yet.'),
  },
  assigning('it is in no campaign', NOT_FOUND, true, assigned('ASSIGNED')),
  assigning('its assignment begins', NOT_FOUND, false, assigned('PENDING_ASSIGNMENT')),
  assigning('it is assigned', assignment('C1', 'ASSIGNED'), true),
  assigning('its assignment is pending', assignment('C1', 'PENDING_ASSIGNMENT'), false),
  assigning('it is in another campaign', assignment('C0', 'ASSIGNED'), false, unassigned),
  assigning('it joins another campaign', assignment('C0', 'PENDING_ASSIGNMENT'), false, unassigned),
  assigning('it leaves another campaign', assignment('C0', 'PENDING_UNASSIGNMENT'), false),
  assigning(
    'its assignment failed: it is tried again, and the reason is reported',
    assignment('C1', 'FAILED_ASSIGNMENT', { failureReasons: 'Over 49 numbers' }),
    fault('later', 'The number was not assigned to its campaign: Over 49 numbers'),
    assigned('PENDING_ASSIGNMENT'),
  ),
  assigning(
    'its assignment failed for no reason',
    assignment('C1', 'FAILED_ASSIGNMENT'),
    fault('later', 'The number was not assigned to its campaign: no reason is given'),
    assigned('ASSIGNED'),
  ),
]

const VOICE = 'PATCH /v2/phone_numbers/n%2F1/voice'
const FORWARDED = {
  call_forwarding: { call_forwarding_enabled: true, forwards_to: OTHER, forwarding_type: 'always' },
}

const forward: NumberCase[] = [
  {
    when: 'phone calls are forwarded',
    run: async (source) => source.forward!(OWNED, OTHER),
    exchanges: [[VOICE, [200, {}], FORWARDED]],
    result: undefined,
  },
  {
    when: 'phone calls are no longer forwarded',
    run: async (source) => source.forward!(OWNED, null),
    exchanges: [[VOICE, [200, {}], { call_forwarding: { call_forwarding_enabled: false } }]],
    result: undefined,
  },
  {
    when: 'the number to forward is not there yet',
    run: async (source) => source.forward!(OWNED, OTHER),
    exchanges: [[VOICE, NOT_FOUND, FORWARDED]],
    result: fault('later', 'The number is not there yet.'),
  },
]

const RELEASED = 'DELETE /v2/phone_numbers/n%2F1'

const release: NumberCase[] = [
  {
    when: 'a number is released',
    run: (source) => source.release(OWNED),
    exchanges: [[RELEASED]],
    result: true,
  },
  {
    when: 'a number has already been released',
    run: (source) => source.release(OWNED),
    exchanges: [[RELEASED, NOT_FOUND]],
    result: true,
  },
  {
    when: 'the provider fails',
    run: (source) => source.release(OWNED),
    exchanges: [[RELEASED, [503, 'upstream']]],
    result: fault('later', 'HTTP 503'),
  },
]

/** If campaigns are registered there, a number leaves its campaign before it is released. */
export const TELNYX_RELEASES_REGISTERED: NumberCase[] = [
  {
    when: 'a number of a registered campaign is released',
    run: (source) => source.release(OWNED),
    exchanges: [unassigned, [RELEASED]],
    result: true,
  },
  {
    when: 'it was in no campaign',
    run: (source) => source.release(OWNED),
    exchanges: [
      [`DELETE ${OWN_ASSIGNMENT}`, NOT_FOUND],
      [RELEASED, NOT_FOUND],
    ],
    result: true,
  },
]

export const TELNYX_BINDING = { findProfile, createProfile, bind, forward, release }
