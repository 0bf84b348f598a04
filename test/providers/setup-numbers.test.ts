// The numbers of an account in a setup: which one joins the profile or service, and what is missing before they can send.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountNumber } from '../../src/carriers/providers/provisioning.js'
import { lacksOf, ONE, setupStage, stepsOf, TWO } from './setup-stage.js'

const number = (phoneNumber: string, containerId: string | null = null): AccountNumber => ({
  ...{ id: `n${phoneNumber}`, phoneNumber, containerId },
})
const has = (...numbers: AccountNumber[]) => ({ listNumbers: async () => numbers })

test('the numbers of the account are counted, and those in the container of the link', async (t) => {
  const counted = async (...numbers: AccountNumber[]) =>
    stepsOf(await setupStage(t, 'telnyx', has(...numbers)).add(), 'numbers')
  const text = (account: string, own: number) => [
    `same: The account has ${account}, ${own} of them in the messaging profile.`,
  ]
  assert.deepEqual(await counted(), text('0 numbers', 0))
  assert.deepEqual(await counted(number(ONE, 'c-2')), text('1 number', 0))
  assert.deepEqual(await counted(number(ONE, 'c-1'), number(TWO)), text('2 numbers', 1))
  const { add } = setupStage(t, 'bandwidth', { ...has(number(ONE)), isTied: async () => true })
  assert.deepEqual(stepsOf(await add(), 'numbers'), ['same: The account has 1 number.'])
})

test('a requested number joins the container, unless it is there or cannot', async (t) => {
  const numberStep = async (
    name: 'telnyx' | 'bandwidth',
    containerId: string | null,
    isDryRun = false,
  ) => {
    const { add, callsOf } = setupStage(t, name, {
      ...has(number(TWO), number(ONE, containerId)),
      findContainer: async () => ({ id: 'c-1', differs: [] }),
    })
    const report = await add({ request: { number: ONE, isDryRun } })
    return { steps: stepsOf(report, 'numbers'), puts: callsOf('putNumber').length }
  }
  assert.deepEqual(await numberStep('telnyx', null), {
    ...{ steps: [`done: Added ${ONE} to the messaging profile.`], puts: 1 },
  })
  assert.deepEqual(await numberStep('telnyx', 'c-2'), {
    ...{ steps: [`done: Added ${ONE} to the messaging profile.`], puts: 1 },
  })
  assert.deepEqual(await numberStep('telnyx', 'c-1'), {
    ...{ steps: [`same: ${ONE} is in the messaging profile.`], puts: 0 },
  })
  assert.deepEqual(await numberStep('telnyx', null, true), {
    ...{ steps: [`planned: Would add ${ONE} to the messaging profile.`], puts: 0 },
  })
  assert.deepEqual(await numberStep('bandwidth', null), {
    ...{ steps: [`same: ${ONE} is a number of the account.`], puts: 0 },
  })
})

test('a requested number that the account does not have is a failure, and joins nothing', async (t) => {
  const { add, callsOf } = setupStage(t, 'telnyx', has(number(TWO)))
  const report = await add({ request: { number: ONE } })
  assert.deepEqual(stepsOf(report, 'numbers'), [
    `failed: ${ONE} is not a number of the Telnyx account.`,
  ])
  assert.deepEqual(callsOf('putNumber'), [])
  assert.deepEqual(report.missing, [])
})

test('an account without numbers, or without one in the container, is told what to do', async (t) => {
  const { missing } = await setupStage(t, 'twilio').add()
  assert.deepEqual(missing, [
    {
      what: 'number',
      text: 'The Twilio account has no numbers.',
      remedy:
        'Buy one at Twilio, or let customers buy numbers through Longcode (--monthly-price 1).',
    },
  ])
  const lacks = async (name: 'twilio' | 'bandwidth', containerId: string | null, request = {}) =>
    lacksOf(
      await setupStage(t, name, has(number(ONE, containerId), number(TWO))).add({ request }),
      'number',
    )
  assert.deepEqual(await lacks('twilio', null), [
    [
      'No number is in the messaging service, so inbound messages do not arrive.',
      `Run this again with --number ${ONE} to add it.`,
    ],
  ])
  assert.deepEqual(await lacks('twilio', 'c-1'), [])
  assert.deepEqual(await lacks('twilio', null, { number: TWO }), [])
  assert.deepEqual(await lacks('bandwidth', null), [], 'their location decides')
})

test('carriers refuse a number outside a campaign: the one that sends is checked', async (t) => {
  const checked = async (request: object, ...numbers: AccountNumber[]) => {
    const { add, callsOf } = setupStage(t, 'telnyx', has(...numbers))
    await add({ request })
    return callsOf('isRegistered').map(([, one, id]) => [(one as AccountNumber).phoneNumber, id])
  }
  assert.deepEqual(await checked({}, number(ONE), number(TWO)), [[ONE, 'c-1']])
  assert.deepEqual(await checked({}, number(ONE), number(TWO, 'c-1')), [[TWO, 'c-1']])
  assert.deepEqual(await checked({ number: ONE }, number(ONE), number(TWO, 'c-1')), [[ONE, 'c-1']])
  assert.deepEqual(await checked({ isDryRun: true }, number(ONE)), [], 'there is no profile yet')
})

const BY_HAND = 'and assign the numbers to the campaign.'
const OURS =
  'Longcode registers your customers’ brands and campaigns through this link and assigns the numbers they buy. Assign imported numbers yourself.'

test('a number outside a campaign, or of which nobody knows, is reported with what to do', async (t) => {
  const lacks = async (name: 'telnyx' | 'twilio', is: boolean | null, request = {}) => {
    const account = { ...has(number(ONE, 'c-1')), isRegistered: async () => is }
    return lacksOf(await setupStage(t, name, account).add({ request }), 'campaign')
  }
  assert.deepEqual(await lacks('telnyx', true), [])
  const refused = `${ONE} is not in a registered 10DLC campaign at Telnyx, so carriers refuse its messages.`
  const unknown = 'Telnyx did not report whether the numbers are in a registered 10DLC campaign.'
  const through = `Register a brand and campaign at Telnyx, ${BY_HAND} Or run this again with --registration to register them through this link.`
  assert.deepEqual(await lacks('telnyx', false), [[refused, through]])
  assert.deepEqual(await lacks('telnyx', null), [[unknown, through]])
  assert.deepEqual(await lacks('telnyx', null, { isDryRun: true }), [[unknown, through]])
  const registration = { vertical: null, isMock: false }
  assert.deepEqual(await lacks('telnyx', false, { registration }), [[refused, OURS]])
  assert.deepEqual(await lacks('twilio', false), [
    [refused.replace('Telnyx', 'Twilio'), `Register a brand and campaign at Twilio, ${BY_HAND}`],
  ])
})

test('a link that registers already keeps its own remedy', async (t) => {
  const account = { ...has(number(ONE, 'c-1')), isRegistered: async () => false }
  const { add } = setupStage(t, 'telnyx', account)
  await add({ request: { registration: { vertical: null, isMock: true } } })
  assert.equal(lacksOf(await add(), 'campaign')[0]![1], OURS)
})

test('bandwidth: numbers reach the application through its location', async (t) => {
  const stage = (isTied: boolean, canTie: boolean) =>
    setupStage(t, 'bandwidth', {
      ...{ ...has(number(ONE)), isTied: async () => isTied },
      ...(canTie && { tie: async () => {} }),
    })
  const tied = stage(true, true)
  const there = await tied.add()
  assert.deepEqual(stepsOf(there, 'numbers'), ['same: The account has 1 number.'])
  assert.deepEqual([tied.callsOf('tie'), lacksOf(there, 'location')], [[], []])
  assert.deepEqual(tied.callsOf('isTied'), [['isTied', 'c-1']])

  const free = stage(false, true)
  assert.deepEqual(stepsOf(await free.add(), 'numbers'), [
    'done: Linked the location to the application.',
    'same: The account has 1 number.',
  ])
  assert.deepEqual(free.callsOf('tie'), [['tie', 'c-1']])
  const planned = setupStage(t, 'bandwidth', {
    ...{ ...has(number(ONE)), isTied: async () => false, tie: async () => {} },
    findContainer: async () => ({ id: 'c-1', differs: [] }),
  })
  const plan = await planned.add({ request: { isDryRun: true } })
  assert.equal(stepsOf(plan, 'numbers')[0], 'planned: Would link the location to the application.')
  assert.deepEqual(planned.callsOf('tie'), [])

  assert.deepEqual(lacksOf(await stage(false, false).add(), 'location'), [
    [
      'No location is linked to the application, so its numbers can neither send nor receive.',
      'Select the application on the location’s page at dashboard.bandwidth.com, or run this again with the sub-account and location IDs (--site-id, --location-id).',
    ],
  ])
  const bare = setupStage(t, 'bandwidth', has(number(ONE)))
  await bare.add({ request: { isDryRun: true } })
  assert.deepEqual(bare.callsOf('isTied'), [], 'without a new application there is nothing to tie')
})
