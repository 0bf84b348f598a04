// Request and response of the endpoint where a switch asks where a call goes.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { Noun, NullableString } from '../../kit/contract/schema.js'

const ROUTE_FORMATS = ['json', 'kamailio', 'freeswitch'] as const

const CallRouteReply = Noun('CallRoute', {
  called: Type.String(),
  number: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'E.164, if an account holds the number',
  }),
  status: Type.Integer({ description: 'SIP status: 302, 404, 480, 482, or 484' }),
  target: NullableString,
  contact: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Null without a target or a trunk',
  }),
  diversion: NullableString,
  why: NullableString,
})

const Rtjson = Noun('Rtjson', {
  version: Type.String(),
  routing: Type.String(),
  routes: Type.Array(
    Type.Object({ uri: Type.String(), headers: Type.Object({ extra: Type.String() }) }),
  ),
  status: Type.Integer(),
  reason: Type.String(),
  why: NullableString,
})

export const ROUTE_CALL = operation({
  id: 'operatorRouteCall',
  databaseClass: 'open',
  tag: 'Operator',
  summary: 'Look up where a call goes, for your own switch',
  description:
    'The same decision as over SIP: for Kamailio as rtjson, for FreeSWITCH as a dialplan. Nothing is counted. mod_xml_curl can send a GET or a POST with a form, and can use the operator token as the HTTP Basic password. See docs/calls.md.',
  isExtension: true,
  scope: 'operator',
  takesBasic: true,
  query: Type.Object({
    called: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'A number in the trunk’s format, or a `sip:` or `tel:` address',
      }),
    ),
    format: Type.Optional(Type.Enum([...ROUTE_FORMATS], { default: 'json' })),
    trunk: Type.Optional(Type.String({ maxLength: 40, description: 'Default: the first trunk' })),
    diversion: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'Diversion header of the call' }),
    ),
    gateway: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.-]{1,64}$',
        description: 'FreeSWITCH gateway to dial through. Default: the host of the trunk',
      }),
    ),
  }),
  reply: Type.Union([CallRouteReply, Rtjson], { title: 'RouteCallReply' }),
  example: {
    called: '4155550123',
    number: '+14155550123',
    status: 302,
    target: '+14155550188',
    contact: 'sip:+14155550188@sip.acme.example',
    diversion: '<sip:+14155550123@voice.example.com>;reason=unconditional;counter=1',
    why: null,
  },
  otherForms: ['text/xml'],
  failure: { number: null },
})
