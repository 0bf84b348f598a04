// The fields of an SMPP link in the carriers' file, each with its bounds and what holds where it is left out
// (USUAL_SMPP). Names are those of SmppLinkSettings; times are in seconds.

import { Type } from 'typebox'
import {
  choice,
  flag,
  mapOf,
  seconds,
  secret,
  text,
  whole,
} from '../../kit/settings-file/field-schemas.js'
import { MESSAGE_ERRORS } from '../../messages/message-errors.js'
import { USUAL_SMPP } from '../smpp/smpp-settings.js'
import { NETWORKS } from './networks.js'
import { UnknownFields } from './unknown-fields.js'

const NUMBER_KEY = /^(?:\d{1,10}|0x[0-9a-fA-F]{1,8})$/
const CODE_KEY = /^[!-~]{1,20}$/

const ERROR_CODES = Object.keys(MESSAGE_ERRORS).map(Number)
const ID_FORMS = ['auto', 'as_written', 'decimal', 'hex'] as const
const FORMATS = ['cstring', 'text', 'int1', 'int2', 'int4', 'hex'] as const

const Tag = whole(1, 0xffff)

const Host = text(1, 253, {
  pattern: '^[A-Za-z0-9._:-]+$',
  'x-expects': 'must be a host name or an IP address',
})

const TlsFields = Type.Object(
  {
    caFile: Type.Optional(text(1, 1000)),
    serverName: Type.Optional(text(1, 253)),
    minVersion: choice(['TLSv1.2', 'TLSv1.3'], 'TLSv1.2'),
    certFile: Type.Optional(text(1, 1000)),
    keyFile: Type.Optional(text(1, 1000)),
  },
  { 'x-true': true },
)

function numberStyle(usual: typeof USUAL_SMPP.source) {
  return Type.Object(
    {
      ton: Type.Optional(whole(0, 7)),
      npi: Type.Optional(whole(0, 31)),
      format: choice(['digits', 'plus', 'national'], usual.format),
    },
    { default: { format: usual.format } },
  )
}

const NetworkTlvFields = Type.Object({
  tag: Tag,
  networks: mapOf(choice(NETWORKS), CODE_KEY, 'must be the carrier’s word, 1 to 20 characters'),
})

/** By what the carrier writes. */
const StatusMeaning = Type.Unsafe<number | 'sent' | 'slow_down' | 'down'>({
  enum: ['sent', 'slow_down', 'down', ...ERROR_CODES],
})
const OwnCode = Type.Unsafe<number>({ enum: ERROR_CODES })

export const SmppFields = Type.Object({
  host: Host,
  port: whole(1, 65_535, 2775),
  tls: Type.Optional(TlsFields),
  systemId: text(1, 64),
  password: secret(0, 64),
  systemType: text(0, 12, { default: USUAL_SMPP.systemType }),
  addressRange: text(0, 40, { default: USUAL_SMPP.addressRange }),
  bindMode: choice(['transceiver', 'transmitter_receiver'], USUAL_SMPP.bindMode),
  binds: whole(1, 50, USUAL_SMPP.binds),
  window: whole(1, 2_000, USUAL_SMPP.window),
  perSecond: Type.Optional(Type.Number({ minimum: 0.1, maximum: 100_000 })),
  shared: Type.Boolean({ default: false }),

  responseTimeoutSeconds: seconds(1, 300, USUAL_SMPP.responseTimeoutMs),
  enquireLinkSeconds: seconds(1, 3_600, USUAL_SMPP.enquireLinkMs),
  bindTimeoutSeconds: seconds(1, 300, USUAL_SMPP.bindTimeoutMs),
  reconnect: Type.Object(
    {
      firstSeconds: seconds(0.1, 300, USUAL_SMPP.reconnect.firstMs),
      maxSeconds: seconds(0.1, 3_600, USUAL_SMPP.reconnect.maxMs),
    },
    {
      default: {
        firstSeconds: USUAL_SMPP.reconnect.firstMs / 1000,
        maxSeconds: USUAL_SMPP.reconnect.maxMs / 1000,
      },
    },
  ),

  codings: Type.Array(
    Type.Object({
      alphabet: choice(['gsm7', 'gsm7-packed', 'ascii', 'latin1', 'ucs2']),
      dataCoding: whole(0, 255),
    }),
    { minItems: 1, maxItems: 10, default: USUAL_SMPP.codings },
  ),
  longStyle: choice(['udh8', 'udh16', 'sar', 'payload'], USUAL_SMPP.longStyle),
  source: numberStyle(USUAL_SMPP.source),
  destination: numberStyle(USUAL_SMPP.destination),
  serviceType: text(0, 5, { default: USUAL_SMPP.serviceType }),
  registeredDelivery: choice(['all', 'last', 'none'], USUAL_SMPP.registeredDelivery),
  validity: choice(['relative', 'absolute', 'none'], USUAL_SMPP.validity),
  campaignTlv: Type.Optional(
    Type.Object({
      tag: Tag,
      value: choice(['campaign', 'account', 'message'], 'campaign'),
      format: choice(FORMATS, 'cstring'),
      names: Type.Optional(mapOf(text(1, 255), /^[!-~]{1,100}$/, 'must be an id, such as cmp_01…')),
    }),
  ),
  fixedTlvs: Type.Array(
    Type.Object({ tag: Tag, format: choice(FORMATS, 'cstring'), value: text(0, 255) }),
    { maxItems: 50, default: [] },
  ),
  messageReference: flag(USUAL_SMPP.messageReference),

  answerIdForm: choice(ID_FORMS, USUAL_SMPP.answerIdForm),
  receiptIdForm: choice(ID_FORMS, USUAL_SMPP.receiptIdForm),
  receiptUtcOffsetMinutes: whole(-840, 840, USUAL_SMPP.receiptUtcOffsetMinutes),
  carrierCodes: Type.Optional(
    Type.Object({
      statuses: Type.Optional(
        mapOf(StatusMeaning, NUMBER_KEY, 'must be a command_status, such as 0x456'),
      ),
      receiptErrors: Type.Optional(
        mapOf(OwnCode, CODE_KEY, 'must be what stands behind err:, such as "470"'),
      ),
    }),
  ),
  answerNetwork: Type.Optional(NetworkTlvFields),
  inboundNetwork: Type.Optional(NetworkTlvFields),
  inboundIdTag: Type.Optional(Tag),

  settleSeconds: whole(5, 86_400, USUAL_SMPP.settleSeconds),
  ...UnknownFields,

  traceFile: Type.Optional(text(1, 1000)),
  traceMegabytes: whole(1, 10_000, USUAL_SMPP.traceMaxOctets / 1024 ** 2),
})
