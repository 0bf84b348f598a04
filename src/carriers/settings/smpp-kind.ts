// An SMPP link of the carriers' file, from its fields to the settings that the link is made with.

import { X509Certificate } from 'node:crypto'
import type { Static } from 'typebox'
import { toMs } from '../../kit/settings-file/field-schemas.js'
import type { Path, Problem } from '../../kit/settings-file/settings-document.js'
import { createSmppLink, isSmppLink } from '../smpp/smpp-link.js'
import type { NetworkTlv, SmppLinkSettings, SmppTls, TlvFormat } from '../smpp/smpp-settings.js'
import { defineKind, type ReadContext } from './link-kind.js'
import { SmppFields } from './smpp-fields.js'
import { silencePolicy } from './unknown-fields.js'

type Own = Static<typeof SmppFields>

export const smppKind = defineKind({
  fields: SmppFields,
  secrets: ['password'],
  isConnected: true,
  read: (name, own, context) => {
    const problems: Problem[] = [...tlvProblems(own), ...timeProblems(own), ...shareProblems(own)]
    const tls = readTls(own, context, problems)
    if (problems.length > 0) return problems
    const settings = settingsOf(name, own, tls)
    const { traceFile, traceMaxOctets, ...compared } = settings
    return {
      settings: compared,
      create: (deps) => createSmppLink(settings, deps),
      tune: async (carrier) => {
        if (isSmppLink(carrier)) await carrier.traceTo(traceFile, traceMaxOctets)
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
    traceMaxOctets: traceMegabytes * 1024 ** 2,
  }
}

function networkTlv(own: Own['answerNetwork']): NetworkTlv | null {
  return own ? { tag: own.tag, networks: new Map(Object.entries(own.networks)) } : null
}

/** Two values under one tag: the carrier would read one of them, nobody knows which. */
function tlvProblems(own: Own): Problem[] {
  const problems: Problem[] = []
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

const OCTETS: Partial<Record<TlvFormat, number>> = { int1: 1, int2: 2, int4: 4 }

function formatProblem(format: TlvFormat, value: string): string | null {
  const octets = OCTETS[format]
  if (octets !== undefined) {
    const max = 2 ** (8 * octets) - 1
    const isGood = /^\d{1,10}$/.test(value) && Number(value) <= max
    return isGood
      ? null
      : `must be a whole number from 0 to ${max} in quotes, by its format ${format}`
  }
  if (format !== 'hex') return null
  const isGood = /^(?:[0-9a-fA-F]{2})*$/.test(value)
  return isGood ? null : 'must be pairs of hex digits, by its format hex'
}

function timeProblems({ reconnect: { firstSeconds, maxSeconds } }: Own): Problem[] {
  if (firstSeconds <= maxSeconds) return []
  const text = `must be at least firstSeconds (${firstSeconds}), not ${maxSeconds}`
  return [{ path: ['reconnect', 'maxSeconds'], text }]
}

function shareProblems({ shared, perSecond }: Own): Problem[] {
  if (!shared || (perSecond !== undefined && perSecond >= 1)) return []
  return [{ path: ['shared'], text: 'needs perSecond, 1 or more: that is what processes share' }]
}

/** Files are read when the settings are, so that a renewed certificate is a changed link. */
function readTls({ tls }: Own, { readFile }: ReadContext, problems: Problem[]): SmppTls | null {
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
    problems.push({ path: ['tls', there], text: `needs ${missing} beside it` })
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
