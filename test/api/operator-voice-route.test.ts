// GET /operator/v1/voice/route: where to route a call, for switches that query over HTTP. No FreeSWITCH runs here:
// its requests are built like those of mod_xml_curl, and replies are checked against the documented format.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Role } from '../../src/kit/config.js'
import { sql } from '../../src/kit/postgres/sql.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, type Reply } from '../harness.js'
import { OPERATOR_TOKEN, type OperatedService, operatedService } from './operator-service.js'

const TARGET = '+14155550188'
const TRUNKS = `trunks:
  - name: acme
    sources: [203.0.113.0/28]
    contactHost: sip.acme.test
    diversionHost: ours.test
  - name: switch
    sources: [192.0.2.10]
    contactHost: 192.0.2.10:5080
    diversionHost: ours.test
    embedDiversion: true
    numbers: { called: [national], prefix: "99", written: country }
`

interface VoiceService extends OperatedService {
  number: string
  /** Requests the route with the operator's token. */
  route: (query: Record<string, string>) => Promise<Reply>
  /** Another number of the account, with a target that is not validated. */
  numberTo: (target: string | null) => Promise<string>
}

async function voiceService(t: TestContext, roles: readonly Role[] = []): Promise<VoiceService> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'longcode-route-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'trunks.yaml')
  writeFileSync(file, TRUNKS)
  const service = await operatedService(t, { roles, env: { LONGCODE_TRUNKS: file } })
  const { campaignId } = await activeCampaign(service)
  const numberTo = async (target: string | null) => {
    const number = await buyNumber(service, campaignId)
    await setTarget(service, number, target)
    return number
  }
  const number = await numberTo(TARGET)
  const route = (query: Record<string, string>) =>
    service.operate('GET', `/voice/route?${new URLSearchParams(query)}`)
  return { ...service, number, route, numberTo }
}

/** Sets a target directly, as an older version with other rules might have. */
async function setTarget(
  { world }: Pick<OperatedService, 'world'>,
  from: string,
  to: string | null,
) {
  await world.db.query(sql`
    update numbers set forward_number = ${to} where phone_number = ${from}`)
}

test('the reply has the target, the contact URI, and the Diversion header of a call', async (t) => {
  const { number, route } = await voiceService(t)
  const national = number.slice(2)
  const expected = {
    number,
    status: 302,
    target: TARGET,
    contact: `sip:${TARGET}@sip.acme.test`,
    diversion: `<sip:${number}@ours.test>;reason=unconditional;counter=1`,
    why: null,
  }
  for (const called of [number, number.slice(1), national, `sip:${number}@x.test;user=phone`]) {
    const { status, body } = await route({ called })
    assert.equal(status, 200)
    assert.deepEqual(body, { called, ...expected })
  }
  const { body } = await route({ called: `99${national}`, trunk: 'switch' })
  const diversion = `<sip:1${national}@ours.test>;reason=unconditional;counter=1`
  assert.deepEqual(body, {
    ...expected,
    called: `99${national}`,
    contact: `sip:${TARGET.slice(1)}@192.0.2.10:5080?Diversion=${encodeURIComponent(diversion)}`,
    diversion,
  })
})

test('an unescaped plus in the query is accepted', async (t) => {
  const { number, operate } = await voiceService(t)
  const { body } = await operate('GET', `/voice/route?called=${number}`)
  assert.equal(body.called, number)
  assert.equal(body.target, TARGET)
  const uri = `sip:${number}@x.test`
  const inUri = await operate('GET', `/voice/route?called=${uri}`)
  assert.equal(inUri.body.called, uri)
  assert.equal(inUri.body.target, TARGET)
  const loop = `/voice/route?called=${uri}&diversion=%3Csip:${TARGET}@x.test%3E`
  assert.equal((await operate('GET', loop)).body.status, 482)
})

test('a process with the numbers in memory answers from memory and picks up changes', async (t) => {
  const { call, number, route, world } = await voiceService(t, ['voice'])
  const targetNow = async () => (await route({ called: number })).body.target
  const forward = (forwardNumber: string) =>
    call('PATCH', `/v1/number/${number.slice(1)}/forwarding`, { forwardNumber })
  await forward('+12125550199')
  await eventually(async () => (await targetNow()) === '+12125550199')
  // Changed in the database without a notification, so the process must not see it.
  await setTarget({ world }, number, '+12125550177')
  assert.equal(await targetNow(), '+12125550199')
  await forward('+12125550166')
  await eventually(async () => (await targetNow()) === '+12125550166')
})

test('a call that SIP would refuse gets the same status and a reason', async (t) => {
  const { number, route, numberTo, world } = await voiceService(t)
  const quiet = await numberTo(null)
  const premium = await numberTo('+19005550126')
  const caribbean = await numberTo('+18765550126')
  const [a, b] = [await numberTo(null), await numberTo(null)]
  const set = (from: string, to: string) => setTarget({ world }, from, to)
  await set(a, b)
  await set(b, a)
  const chain = [number]
  for (let i = 0; i < 5; i++) chain.push(await numberTo(null))
  for (let i = 1; i < chain.length; i++) await set(chain[i]!, chain[i - 1]!)
  const cases: [string, number, string | null, RegExp][] = [
    ['+14155559999', 404, null, /^No account holds this number\.$/],
    ['+442071838750', 404, null, /^No account holds this number\.$/],
    ['12', 484, null, /^The called number must be in the trunk’s format/],
    [quiet, 480, quiet, /^The number is not forwarded\.$/],
    [premium, 480, premium, /^The target must not be a premium number/],
    [caribbean, 480, caribbean, /^The target must not be a Caribbean number/],
    [a, 482, a, /^The target must not lead back to this number/],
    [chain[5]!, 482, chain[5]!, /^The target must not start a chain of more than 5/],
  ]
  for (const [called, status, held, why] of cases) {
    const { status: http, body } = await route({ called })
    assert.equal(http, 200, called)
    const { why: said, ...rest } = body
    assert.deepEqual(rest, {
      called,
      number: held,
      status,
      target: null,
      contact: null,
      diversion: null,
    })
    assert.match(said, why)
  }
  assert.equal((await route({ called: chain[4]! })).body.status, 302)
})

test('a call that already passed through the target is a loop, as over SIP', async (t) => {
  const { number, route } = await voiceService(t)
  const loop = await route({ called: number, diversion: `<sip:${TARGET}@x.test>;reason=no-answer` })
  assert.equal(loop.body.status, 482)
  const other = await route({ called: number, diversion: '<sip:+12125550100@x.test>' })
  assert.equal(other.body.status, 302)
  const broken = await route({ called: number, diversion: '"<sip:x' })
  assert.equal(broken.status, 400)
  assert.equal(
    broken.body.error,
    'diversion must be the value of a Diversion header, such as <sip:…>',
  )
})

test('Kamailio gets the rtjson format, and the status to return if there is no route', async (t) => {
  const { number, route, numberTo } = await voiceService(t)
  const { headers, body } = await route({ called: number, format: 'kamailio' })
  assert.match(headers['content-type']!, /^application\/json/)
  assert.deepEqual(body, {
    version: '1.0',
    routing: 'serial',
    routes: [
      {
        uri: `sip:${TARGET}@sip.acme.test`,
        headers: {
          extra: `Diversion: <sip:${number}@ours.test>;reason=unconditional;counter=1\r\n`,
        },
      },
    ],
    status: 302,
    reason: 'Moved Temporarily',
    why: null,
  })
  const quiet = await route({ called: await numberTo(null), format: 'kamailio' })
  const { routes, status, reason } = quiet.body
  assert.deepEqual([routes, status, reason], [[], 480, 'Temporarily Unavailable'])
})

/** A dialplan request like the one of mod_xml_curl, with some of its other fields. */
function curlOutput(number: string, more: Record<string, string> = {}): string {
  return new URLSearchParams({
    hostname: 'fs1',
    section: 'dialplan',
    tag_name: '',
    key_name: '',
    key_value: '',
    'Event-Name': 'REQUEST_PARAMS',
    'Core-UUID': '6a7b',
    'Caller-Direction': 'inbound',
    'Caller-Destination-Number': number,
    'Caller-Context': 'inbound & more',
    'Hunt-Destination-Number': number,
    'Hunt-Context': 'inbound & more',
    variable_sip_full_via: 'SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK-1',
    variable_sip_from_uri: 'caller@192.0.2.1',
    ...more,
  }).toString()
}

function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

test('mod_xml_curl gets a dialplan by POST or GET, with the operator token as its password', async (t) => {
  const { call, number } = await voiceService(t)
  const url = '/operator/v1/voice/route?format=freeswitch'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const query = curlOutput(number)
  const asFreeswitch = { token: null, headers: { ...basic('freeswitch', OPERATOR_TOKEN), ...form } }
  const replies = [
    await call('POST', url, query, asFreeswitch),
    await call('GET', `${url}&${query}`, undefined, asFreeswitch),
  ]
  for (const { status, headers, body } of replies) {
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'text/xml; charset=utf-8')
    assert.match(body, /<context name="inbound &amp; more">/)
    const actions = [...body.matchAll(/<action application="(\w+)" data="([^"]*)"\/>/g)]
    assert.deepEqual(
      actions.map(([, application, data]) => [application, data]),
      [
        [
          'export',
          `nolocal:sip_h_Diversion=&lt;sip:${number}@ours.test&gt;;reason=unconditional;counter=1`,
        ],
        ['set', 'hangup_after_bridge=true'],
        ['bridge', `sofia/external/${TARGET}@sip.acme.test`],
      ],
    )
  }
  const byGateway = await call('POST', `${url}&gateway=acme&trunk=acme`, query, asFreeswitch)
  assert.match(byGateway.body, new RegExp(`sofia/gateway/acme/\\${TARGET}"`))
})

test('FreeSWITCH gets “not found” for unknown numbers and other sections, and continues with its own config', async (t) => {
  const { call, number, numberTo } = await voiceService(t)
  const url = '/operator/v1/voice/route?format=freeswitch'
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const ask = (query: string) => call('POST', url, query, { token: OPERATOR_TOKEN, headers })
  const notFound = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<document type="freeswitch/xml">
  <section name="result">
    <result status="not found"/>
  </section>
</document>
`
  assert.equal((await ask(curlOutput('+14155559999'))).body, notFound)
  for (const section of ['directory', 'configuration'])
    assert.equal((await ask(curlOutput(number, { section }))).body, notFound)
  const quiet = await ask(curlOutput(await numberTo(null)))
  assert.match(quiet.body, /<action application="respond" data="480 Temporarily Unavailable"\/>/)
  const nobody = await ask('section=dialplan')
  assert.equal(nobody.status, 400)
})

test('an invalid query gets a clear error', async (t) => {
  const { route, number } = await voiceService(t)
  const cases: [Record<string, string>, string][] = [
    [{}, 'called is required: the called number, such as 4155550123'],
    [{ called: '' }, 'called is required: the called number, such as 4155550123'],
    [{ called: number, trunk: 'acne' }, 'trunk is not a trunk of this service: did you mean acme?'],
    [
      { called: number, trunk: 'xyz' },
      'trunk is not a trunk of this service: known trunks: acme, switch',
    ],
    [{ called: number, format: 'asterisk' }, 'format must be one of json, kamailio, freeswitch'],
  ]
  for (const [query, error] of cases) {
    const { status, body } = await route(query)
    assert.equal(status, 400, error)
    assert.equal(body.error, error)
    assert.equal(body.number, null)
  }
  const gateway = await route({ called: number, gateway: 'a/b' })
  assert.equal(gateway.status, 400)
})

test('without trunks, the reply has the decision but no address', async (t) => {
  const env = { LONGCODE_OPERATOR_TOKEN: OPERATOR_TOKEN }
  const service = await operatedService(t, { env: { ...env, ...PRODUCTION } })
  const { status, body } = await service.operate('GET', '/voice/route?called=4155559999')
  assert.equal(status, 200)
  assert.equal(body.status, 404)
  const refused = await service.operate('GET', '/voice/route?called=4155559999&format=kamailio')
  assert.equal(refused.status, 400)
  assert.equal(
    refused.body.error,
    'format needs a trunk, but none is set up. Set LONGCODE_TRUNKS to your trunks file',
  )
})

const PRODUCTION = { LONGCODE_MODE: 'production', DATABASE_URL: 'postgres://unused.invalid/x' }

test('Basic authentication accepts the operator token as password on this route only', async (t) => {
  const service = await voiceService(t)
  const { call, number, token } = service
  const url = `/operator/v1/voice/route?called=${encodeURIComponent(number)}`
  const ask = (headers: Record<string, string>, path = url) =>
    call('GET', path, undefined, { token: null, headers })
  assert.equal((await ask(basic('any', OPERATOR_TOKEN))).status, 200)
  assert.equal((await ask(basic('', OPERATOR_TOKEN))).status, 200)
  for (const headers of [
    basic('any', 'lco_wrong'),
    basic('any', token),
    basic(OPERATOR_TOKEN, ''),
    { authorization: 'Basic !!!' },
    { authorization: `Basic ${Buffer.from(OPERATOR_TOKEN).toString('base64')}` },
    {},
  ]) {
    const { status, body } = await ask(headers)
    assert.equal(status, 401, JSON.stringify(headers))
    assert.equal(body.number, null)
  }
  const elsewhere = await ask(basic('any', OPERATOR_TOKEN), '/operator/v1/number/count')
  assert.equal(elsewhere.status, 401)
  const posted = await call('POST', url, 'section=dialplan', { token })
  assert.equal(posted.status, 401)
})
