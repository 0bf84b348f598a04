// The exact responses that switches read, well-formed for any input from a switch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NO_TRUNK_LIMITS, type TrunkSettings } from '../sip/answer/trunk.js'
import type { FindTarget } from '../sip/forwarding/forwarding-policy.js'
import { ANY_FORM } from '../sip/forwarding/number-forms.js'
import { type CallRoute, routeCall } from './route-call.js'
import { writeDialplan, writeRtjson } from './route-forms.js'

const TRUNK: TrunkSettings = {
  name: 'acme',
  sources: [],
  contactHost: 'sip.acme.test:5080',
  contactTransport: 'tcp',
  diversionHost: 'ours.test',
  isDiversionEmbedded: true,
  numberForms: { ...ANY_FORM, written: 'country' },
  limits: NO_TRUNK_LIMITS,
}
const TARGETS: Record<string, string | null> = {
  '+14155550123': '+14155550188',
  '+14155550124': null,
  '+14155550125': '+14155550125',
  '+14155550126': '+19005550126',
}
const PLAIN = { context: 'public', gateway: null }

const known = (find: FindTarget) => ({ find, isStopped: () => false })

function route(called: string, diversion?: string, trunk: TrunkSettings | null = TRUNK): CallRoute {
  const asked = { called, diversion }
  return routeCall(
    asked,
    trunk,
    known((number) => TARGETS[number]),
    { allowsCaribbean: false },
  )!
}

test('a call is routed as over SIP, or the response gives the reason', () => {
  assert.deepEqual(route('4155550123'), {
    called: '4155550123',
    number: '+14155550123',
    status: 302,
    target: '+14155550188',
    contact:
      'sip:14155550188@sip.acme.test:5080;transport=tcp?Diversion=%3Csip%3A14155550123%40ours.test%3E%3Breason%3Dunconditional%3Bcounter%3D1',
    diversion: '<sip:14155550123@ours.test>;reason=unconditional;counter=1',
    why: null,
  })
  const refused = { target: null, contact: null, diversion: null }
  const cases: [string, string | null, number, RegExp][] = [
    ['4155550199', null, 404, /^No account holds this number\.$/],
    ['+442071838750', null, 404, /^No account holds this number\.$/],
    ['4155550124', '+14155550124', 480, /^The number is not forwarded\.$/],
    ['4155550125', '+14155550125', 482, /^The target must be another number: /],
    ['4155550126', '+14155550126', 480, /^The target must not be a premium number: /],
    ['12', null, 484, /such as \+14155550123, 14155550123, 4155550123\.$/],
  ]
  for (const [called, number, status, expected] of cases) {
    const { why, ...rest } = route(called)
    assert.deepEqual(rest, { called, number, status, ...refused })
    assert.match(why!, expected)
  }
})

test('addresses contain a number, the trunk’s prefix is removed, and other formats are refused', () => {
  for (const called of ['sip:+14155550123@x.test', 'tel:+1-415-555-0123', 'sips:4155550123@x'])
    assert.equal(route(called).target, '+14155550188', called)
  const numberForms = { called: ['national' as const], prefix: '99#', written: 'e164' as const }
  const trunk = { ...TRUNK, numberForms }
  assert.equal(route('99#4155550123', undefined, trunk).target, '+14155550188')
  assert.match(
    route('+14155550123', undefined, trunk).why!,
    /such as 4155550123, after the prefix 99#\.$/,
  )
})

test('a call back to an earlier target is a loop, and five forwardings are the maximum', () => {
  assert.equal(route('4155550123', '<sip:+12125550100@x.test>;counter=4').status, 302)
  assert.equal(route('4155550123', '<sip:+12125550100@x.test>;counter=5').status, 482)
  assert.equal(route('4155550123', '<sip:+14155550188@x.test>').status, 482)
  const find = () => null
  const asked = { called: '4155550123', diversion: '"<sip:x' }
  assert.equal(routeCall(asked, TRUNK, known(find), { allowsCaribbean: false }), null)
})

test('without a trunk the decision is the same, and there is nowhere to send the call', () => {
  const { contact, diversion, target } = route('4155550123', undefined, null)
  assert.deepEqual([target, contact, diversion], ['+14155550188', null, null])
})

test('Kamailio gets a route with our Diversion, or the status to respond with', () => {
  assert.deepEqual(writeRtjson(route('4155550123'), TRUNK), {
    version: '1.0',
    routing: 'serial',
    routes: [
      {
        uri: 'sip:14155550188@sip.acme.test:5080;transport=tcp',
        headers: {
          extra: 'Diversion: <sip:14155550123@ours.test>;reason=unconditional;counter=1\r\n',
        },
      },
    ],
    status: 302,
    reason: 'Moved Temporarily',
    why: null,
  })
  const { routes, status, reason } = writeRtjson(route('4155550125'), TRUNK)
  assert.deepEqual([routes, status, reason], [[], 482, 'Loop Detected'])
})

test('FreeSWITCH gets a dialplan that dials with our Diversion', () => {
  assert.equal(
    writeDialplan(route('4155550123'), TRUNK, PLAIN),
    `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<document type="freeswitch/xml">
  <section name="dialplan">
    <context name="public">
      <extension name="longcode">
        <condition field="destination_number" expression="^.*$">
          <action application="export" data="nolocal:sip_h_Diversion=&lt;sip:14155550123@ours.test&gt;;reason=unconditional;counter=1"/>
          <action application="set" data="hangup_after_bridge=true"/>
          <action application="bridge" data="sofia/external/14155550188@sip.acme.test:5080;transport=tcp"/>
        </condition>
      </extension>
    </context>
  </section>
</document>
`,
  )
  const byGateway = writeDialplan(route('4155550123'), TRUNK, { ...PLAIN, gateway: 'acme' })
  assert.match(byGateway, /data="sofia\/gateway\/acme\/14155550188"\/>/)
})

test('FreeSWITCH responds to a refused call with its status, and uses its own dialplan for other numbers', () => {
  const actionsOf = (called: string) =>
    writeDialplan(route(called), TRUNK, PLAIN).match(/<action .*|<result .*/g)
  assert.deepEqual(actionsOf('4155550124'), [
    '<action application="respond" data="480 Temporarily Unavailable"/>',
  ])
  assert.deepEqual(actionsOf('12'), [
    '<action application="respond" data="484 Address Incomplete"/>',
  ])
  assert.deepEqual(actionsOf('4155550199'), ['<result status="not found"/>'])
})

test('the dialplan is well-formed for any context name', () => {
  const nasty = fc.string({ unit: 'binary', maxLength: 40 })
  fc.assert(
    fc.property(fc.oneof(nasty, fc.constant('"/><context name="&\'\u0000\n')), (context) => {
      const xml = writeDialplan(route('4155550123'), TRUNK, { ...PLAIN, context })
      assert.deepEqual(namesOfTags(xml), TAGS)
    }),
    { numRuns: 300 },
  )
})

const TAGS = [
  ...['document', 'section', 'context', 'extension', 'condition'],
  ...['action/', 'action/', 'action/'],
  ...['/condition', '/extension', '/context', '/section', '/document'],
]

/** Parses every tag and every byte between them. */
function namesOfTags(xml: string): string[] {
  const [head, ...rest] = xml.split('?>\n')
  assert.equal(head, '<?xml version="1.0" encoding="UTF-8" standalone="no"')
  const names: string[] = []
  const text = /[^<&"\p{Cc}\p{Cs}\uFFFE\uFFFF]|&(?:amp|lt|gt|quot|apos);/u.source
  const tag = new RegExp(`\\s*<(/?\\w+)(?: \\w+="(?:${text})*")*(/?)>`, 'uy')
  const body = rest.join('?>\n').trimEnd()
  while (tag.lastIndex < body.length) {
    const match: RegExpExecArray | null = tag.exec(body)
    assert.ok(match, `no tag at ${JSON.stringify(body)}`)
    names.push(`${match[1]}${match[2]}`)
  }
  return names
}
