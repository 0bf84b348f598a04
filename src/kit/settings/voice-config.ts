// The settings for phone calls, from the environment that config.ts reads: where SIP is served, and what may
// be forwarded where. Production serves no calls until trunks are set. The sandbox serves this machine.

import path from 'node:path'
import { readPort, readTlsFiles, type SettingReader, type TlsFiles } from './setting-reader.js'

export interface VoiceConfig {
  host: string
  /** For UDP and TCP. 0: a free port. */
  port: number
  /** Whether the port was set: then it is an error if it is in use. */
  isPortGiven: boolean
  /** Null: no TLS. */
  tls: (TlsFiles & { port: number }) | null
  /** New calls per second that one process accepts. Callers above that hear that it is too busy. */
  callsPerSecond: number
  /** Concurrent TCP and TLS connections. */
  connectionsMax: number
}

export interface ForwardingConfig {
  allowsCaribbean: boolean
  /** How often an account may set targets per hour; 0: no limit. */
  changesPerHour: number
}

/** 0: no limit. */
interface CallLimit {
  /** Forwarded by one process. */
  perSecond: number
  /** Forwarded by all nodes, per UTC day. */
  perDay: number
}

export interface CallLimitsConfig {
  number: CallLimit
  account: CallLimit
}

interface CallRecordsConfig {
  /** How long call records are retained. */
  days: number
  /** How long the caller's number is retained; 0: it is not stored. */
  callerDays: number
}

export interface VoiceSettings {
  /** Null: SIP is not served. */
  voice: VoiceConfig | null
  /** The trunks file (voice/read-trunks.ts); null in a sandbox without one, which has its own trunk. */
  trunksFile: string | null
  forwarding: ForwardingConfig
  callLimits: CallLimitsConfig
  callRecords: CallRecordsConfig
}

const SIP_PORT = 5060

export function readVoice(
  read: SettingReader,
  { isSandbox, host }: { isSandbox: boolean; host: string },
): VoiceSettings {
  const file = read.text('LONGCODE_TRUNKS')
  const forwarding = {
    allowsCaribbean: read.flag('LONGCODE_FORWARD_CARIBBEAN'),
    changesPerHour: read.whole('LONGCODE_FORWARD_CHANGES', 300, 0, 1_000_000),
  }
  const port = readPort(read, 'LONGCODE_SIP_PORT')
  const isServed = port !== 'off' && (file !== null || isSandbox)
  const trunksFile = file === null ? null : path.resolve(file)
  const callLimits = {
    number: readCallLimit(read, 'LONGCODE_NUMBER', 20, 10_000),
    account: readCallLimit(read, 'LONGCODE_ACCOUNT', 200, 100_000),
  }
  const callRecords = readCallRecords(read)
  const voice = isServed ? readListeners(read, host, port ?? SIP_PORT) : null
  return { voice, trunksFile, forwarding, callLimits, callRecords }
}

function readCallRecords(read: SettingReader): CallRecordsConfig {
  const days = read.whole('LONGCODE_CALL_RECORD_DAYS', 90, 1, 3_650)
  const callerDays = read.whole('LONGCODE_CALLER_DAYS', 0, 0, 3_650)
  if (callerDays > days) {
    read.refuse('LONGCODE_CALLER_DAYS must not be more than LONGCODE_CALL_RECORD_DAYS.')
  }
  return { days, callerDays }
}

function readCallLimit(
  read: SettingReader,
  prefix: string,
  perSecond: number,
  perDay: number,
): CallLimit {
  return {
    perSecond: read.whole(`${prefix}_CALLS_PER_SECOND`, perSecond, 0, 1_000_000),
    perDay: read.whole(`${prefix}_CALLS_PER_DAY`, perDay, 0, 1_000_000_000),
  }
}

function readListeners(read: SettingReader, host: string, port: number): VoiceConfig {
  const tls = readTlsFiles(read, 'LONGCODE_SIP')
  const tlsPort = read.whole('LONGCODE_SIP_TLS_PORT', 5061, 0, 65_535)
  if (tls && tlsPort === port && port !== 0) {
    read.refuse('LONGCODE_SIP_TLS_PORT must differ from LONGCODE_SIP_PORT: TCP listens there.')
  }
  return {
    host: read.text('LONGCODE_SIP_HOST') ?? host,
    port,
    isPortGiven: read.text('LONGCODE_SIP_PORT') !== null,
    tls: tls && { ...tls, port: tlsPort },
    callsPerSecond: read.whole('LONGCODE_SIP_RATE', 2_000, 1, 1_000_000),
    connectionsMax: read.whole('LONGCODE_SIP_CONNECTIONS', 200, 1, 100_000),
  }
}
