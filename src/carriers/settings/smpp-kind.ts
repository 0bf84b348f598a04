// An SMPP link in the carriers file: its fields with bounds and defaults (USUAL_SMPP; times are in seconds), and
// the settings built from them.

import { X509Certificate } from 'node:crypto'
import { type Static, Type } from 'typebox'
import {
  choice,
  flag,
  mapOf,
  seconds,
  secret,
  text,
  toMs,
  whole,
} from '../../kit/settings-file/field-schemas.js'
import type { Path, SettingsProblem } from '../../kit/settings-file/settings-document.js'
import { MESSAGE_ERRORS } from '../../messages/message-errors.js'
import { createSmppLink, isSmppLink } from '../smpp/smpp-link.js'
import {
  type NetworkTlv,
  type SmppLinkSettings,
  type SmppTls,
  type TlvFormat,
  USUAL_SMPP,
} from '../smpp/smpp-settings.js'
import { NETWORKS } from './carrier-settings.js'
import {
  defineKind,
  RateFields,
  type ReadContext,
  shareProblems,
  silencePolicy,
  UnknownFields,
} from './link-kind.js'

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

const SmppFields = Type.Object({
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
  ...RateFields,

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
      names: Type.Optional(mapOf(text(1, 255), /^[!-~]{1,100}$/, 'must be an ID, such as cmp_01…')),
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
  traceMegabytes: whole(1, 10_000, USUAL_SMPP.traceMaxBytes / 1024 ** 2),
})

type Own = Static<typeof SmppFields>

export const smppKind = defineKind({
  fields: SmppFields,
  secrets: ['password'],
  isConnected: true,
  read: (name, own, context) => {
    const problems: SettingsProblem[] = [
      ...tlvProblems(own),
      ...timeProblems(own),
      ...shareProblems(own),
    ]
    const tls = readTls(own, context, problems)
    if (problems.length > 0) return problems
    const settings = settingsOf(name, own, tls)
    const { traceFile, traceMaxBytes, ...compared } = settings
    return {
      settings: compared,
      create: (deps) => createSmppLink(settings, deps),
      tune: async (carrier) => {
        if (isSmppLink(carrier)) await carrier.traceTo(traceFile, traceMaxBytes)
      },
    }
  },
})

function settingsOf(name: string, own: Own, tls: SmppTls | null): SmppLinkSettings {
  const {
    responseTimeoutSeconds,
    enquireLinkSeconds,
    bindTimeoutSeconds,
    reconnect,
    traceMegabytes,
    unknown,
    unknownByUsecase,
    repeatUnknown,
    carrierCodes: { statuses = {}, receiptErrors = {} } = {},
    ...rest
  } = own
  return {
    ...rest,
    name,
    tls,
    unknown: silencePolicy({ unknown, unknownByUsecase, repeatUnknown }),
    perSecond: own.perSecond ?? null,
    responseTimeoutMs: toMs(responseTimeoutSeconds),
    enquireLinkMs: toMs(enquireLinkSeconds),
    bindTimeoutMs: toMs(bindTimeoutSeconds),
    reconnect: { firstMs: toMs(reconnect.firstSeconds), maxMs: toMs(reconnect.maxSeconds) },
    source: { ...own.source, ton: own.source.ton ?? null, npi: own.source.npi ?? null },
    destination: {
      ...own.destination,
      ton: own.destination.ton ?? null,
      npi: own.destination.npi ?? null,
    },
    campaignTlv: own.campaignTlv
      ? { ...own.campaignTlv, names: new Map(Object.entries(own.campaignTlv.names ?? {})) }
      : null,
    carrierCodes: {
      statuses: new Map(Object.entries(statuses).map(([code, means]) => [Number(code), means])),
      receiptErrors: new Map(Object.entries(receiptErrors)),
    } as SmppLinkSettings['carrierCodes'], // the schema takes our codes only
    answerNetwork: networkTlv(own.answerNetwork),
    inboundNetwork: networkTlv(own.inboundNetwork),
    inboundIdTag: own.inboundIdTag ?? null,
    traceFile: own.traceFile ?? null,
    traceMaxBytes: traceMegabytes * 1024 ** 2,
  }
}

function networkTlv(own: Own['answerNetwork']): NetworkTlv | null {
  return own ? { tag: own.tag, networks: new Map(Object.entries(own.networks)) } : null
}

/** Two values under one tag: the carrier would read one of them, and which one is undefined. */
function tlvProblems(own: Own): SettingsProblem[] {
  const problems: SettingsProblem[] = []
  const seen = new Map<number, string>()
  const sent: { tag: number; path: Path }[] = [
    ...(own.campaignTlv ? [{ tag: own.campaignTlv.tag, path: ['campaignTlv', 'tag'] }] : []),
    ...own.fixedTlvs.map(({ tag }, i) => ({ tag, path: ['fixedTlvs', i, 'tag'] })),
  ]
  for (const { tag, path } of sent) {
    const hex = `0x${tag.toString(16).padStart(4, '0')}`
    const before = seen.get(tag)
    if (before) problems.push({ path, text: `is ${hex}, as ${before} is: each tag goes out once` })
    seen.set(tag, path[0] as string)
  }
  own.fixedTlvs.forEach(({ format, value }, i) => {
    const text = formatProblem(format, value)
    if (text) problems.push({ path: ['fixedTlvs', i, 'value'], text })
  })
  for (const [id, value] of Object.entries(own.campaignTlv?.names ?? {})) {
    const text = formatProblem(own.campaignTlv!.format, value)
    if (text) problems.push({ path: ['campaignTlv', 'names', id], text })
  }
  return problems
}

const BYTES: Partial<Record<TlvFormat, number>> = { int1: 1, int2: 2, int4: 4 }

function formatProblem(format: TlvFormat, value: string): string | null {
  const bytes = BYTES[format]
  if (bytes !== undefined) {
    const max = 2 ** (8 * bytes) - 1
    const isGood = /^\d{1,10}$/.test(value) && Number(value) <= max
    return isGood
      ? null
      : `must be a whole number from 0 to ${max} in quotes, by its format ${format}`
  }
  if (format !== 'hex') return null
  const isGood = /^(?:[0-9a-fA-F]{2})*$/.test(value)
  return isGood ? null : 'must be pairs of hex digits, by its format hex'
}

function timeProblems({ reconnect: { firstSeconds, maxSeconds } }: Own): SettingsProblem[] {
  if (firstSeconds <= maxSeconds) return []
  const text = `must be at least firstSeconds (${firstSeconds}), not ${maxSeconds}`
  return [{ path: ['reconnect', 'maxSeconds'], text }]
}

/** Files are read with the settings, so a renewed certificate is a changed link. */
function readTls(
  { tls }: Own,
  { readFile }: ReadContext,
  problems: SettingsProblem[],
): SmppTls | null {
  if (!tls) return null
  const pem = (field: 'caFile' | 'certFile' | 'keyFile', sort: string): string | null => {
    const name = tls[field]
    if (name === undefined) return null
    const read = readFile(name)
    if ('problem' in read) problems.push({ path: ['tls', field], text: read.problem })
    else if (isPem(read.text, sort)) return read.text
    else problems.push({ path: ['tls', field], text: `must name a ${sort} in PEM` })
    return null
  }
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const [there, missing] =
      tls.keyFile === undefined ? ['certFile', 'keyFile'] : ['keyFile', 'certFile']
    problems.push({ path: ['tls', there], text: `needs ${missing} too` })
  }
  return {
    ca: pem('caFile', 'certificate'),
    serverName: tls.serverName ?? null,
    minVersion: tls.minVersion,
    cert: pem('certFile', 'certificate'),
    key: pem('keyFile', 'private key'),
  }
}

function isPem(text: string, sort: string): boolean {
  if (sort !== 'certificate') return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)
  try {
    return new X509Certificate(text).subject !== undefined
  } catch {
    return false
  }
}
