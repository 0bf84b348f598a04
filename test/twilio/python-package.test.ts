// The same story as the other tests here, told by the python3-twilio package of the system. Debian installs it for the
// Python in /usr/bin only.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { serviceSid } from '../../src/twilio/sids.js'
import { twilioStage } from './stage.js'

const run = promisify(execFile)
const PYTHON = '/usr/bin/python3'

/** False if the package is missing, and the test is skipped. */
function hasPackage(t: TestContext): boolean {
  if (spawnSync(PYTHON, ['-c', 'import twilio.rest']).status === 0) return true
  const advice = 'apt-get install python3-twilio'
  assert.ok(!process.env.CI, `CI needs Twilio's Python package: ${advice}`)
  t.skip(`Twilio's Python package not found: ${advice}`)
  return false
}

test('a Python app written for Twilio works after a change of two lines', async (t) => {
  if (!hasPackage(t)) return
  const stage = await twilioStage(t, { roles: ['dispatch', 'deliver'] })
  const poor = await twilioStage(t, { balance: '1' })
  const { stdout } = await run(PYTHON, ['-B', 'test/twilio/story.py'], {
    env: {
      PATH: process.env.PATH,
      BASE: stage.base,
      ACCOUNT_SID: stage.accountSid,
      AUTH_TOKEN: stage.authToken,
      NUMBER: stage.number,
      SERVICE_SID: serviceSid(stage.campaignId),
      NOW: stage.service.world.clock.now().toISOString().replace('Z', '+00:00'),
      POOR_BASE: poor.base,
      POOR_SID: poor.accountSid,
      POOR_TOKEN: poor.authToken,
      POOR_NUMBER: poor.number,
    },
  })
  const list = ['List 4', 'List 3', 'List 2', 'List 1', 'List 0']
  assert.deepEqual(JSON.parse(stdout), {
    sent: ['queued', 'outbound-api', '1', 'Hi 1', true],
    callbacks: ['sent', 'delivered'],
    isSameSid: true,
    fetched: ['delivered', null, true],
    redacted: '',
    deleted: true,
    afterwards: [20404, 404],
    listed: list,
    pages: [2, 2, 1, 2, 2],
    canceled: ['scheduled', 'canceled'],
    media: ['1', 'ME', true],
    smsUrl: true,
    inbound: [true, true, 'Are you open?', '0'],
    reply: ['You wrote: Are you open?', '1'],
    unknownNumber: [21211, 400],
    notOwn: [21606, 400],
    unknownMessage: [20404, 404],
    wrongToken: [20003, 401],
    optOutType: 'STOP',
    optedOut: [21610, 400],
    noBalance: [20005, 400],
  })
})
