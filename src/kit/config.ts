// The settings, read from the environment once, checked, and frozen. `.env.example` documents each.

import { isIP } from 'node:net'
import path from 'node:path'
import { type AllowList, readAllowList } from './allow-list.js'
import { readBranding } from './settings/branding-config.js'
import type { Branding } from './settings/branding-rules.js'
import { splitDatabaseUrl } from './settings/database-url.js'
import { processEnv } from './settings/environment.js'
import { type OidcConfig, readOidc } from './settings/oidc-config.js'
import { type Quotas, readQuotas } from './settings/quota-config.js'
import { type RetentionSettings, readRetention } from './settings/retention-config.js'
import {
  BadSetting,
  decimal,
  dollars,
  type Env,
  flag,
  oneOf,
  settingsOf,
  text,
  whole,
} from './settings/setting-reader.js'
import { readSmppServer, type SmppServerConfig } from './settings/smpp-server-config.js'
import { readSmtp, type SmtpConfig } from './settings/smtp-config.js'
import { readTracing, type TracingConfig } from './settings/tracing-config.js'
import { trimSlashes } from './settings/trim-slashes.js'
import { readVoice, type VoiceSettings } from './settings/voice-config.js'

const ROLES = ['api', 'dispatch', 'deliver', 'schedule', 'voice'] as const
export type Role = (typeof ROLES)[number]

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

const CONNECTIONS_PER_ADDRESS = 'LONGCODE_CONNECTIONS_PER_ADDRESS'

export interface Config extends VoiceSettings, RetentionSettings {
  mode: 'sandbox' | 'production'
  host: string
  port: number
  /** The public address, for links. Behind a proxy, it differs from host and port. */
  publicUrl: string
  dataDir: string
  databaseUrl: string | null
  databasePoolMax: number
  /** How long a statement of a request may take. */
  databaseStatementMs: number
  /** `transaction`: a pooler that assigns a connection for one transaction only. */
  databasePooler: 'none' | 'transaction'
  roles: readonly Role[]
  firstToken: string | null
  operatorToken: string | null
  sandboxBalanceMicros: bigint
  reviewMs: number
  requestsPerSecond: number
  requestsBurst: number
  /** Open HTTP connections of this process, and of one address; 0 means no limit. */
  connectionsMax: number
  connectionsPerAddress: number
  /** Messages that may wait to be stored. More are refused immediately. */
  sendsWaitingMax: number
  /** Of accounts without their own. */
  quotas: Quotas
  segmentCounting: 'flat160' | 'parts'
  /** How long a carrier may fetch an outbound file. */
  mediaLinkHours: number
  smsPriceMicros: bigint
  mmsPriceMicros: bigint
  /** For each forwarded call. */
  callPriceMicros: bigint
  /**
   * How messages are sent; `links`: by the links in the carriers file. Production needs an extra setting for
   * the simulator.
   */
  carrier: 'simulator' | 'none' | 'links'
  /** The file with links and routes (carriers/settings). */
  carriersFile: string | null
  /** LONGCODE_CARRIER if it is set in addition to a file, which takes precedence. */
  ignoredCarrier: 'simulator' | 'none' | null
  /** Whether a link may simulate deliveries. */
  allowsSimulator: boolean
  /** The identity provider of a company; null: none. */
  oidc: OidcConfig | null
  /** Whether people who sign in with a password need a second factor. */
  requiresSecondFactor: boolean
  /** Who decides on brands and campaigns (campaigns/review/registry-port.ts). */
  registry: 'simulated' | 'manual'
  /** Null: customers cannot bind by SMPP. */
  smppServer: SmppServerConfig | null
  /** false: /metrics requires an operator token. true: public. */
  isMetricsPublic: boolean
  /** What the console shows instead of our name and mark. */
  branding: Branding
  /** Whether support sees texts of messages: with a reason, or never. */
  supportTexts: 'reason' | 'hidden'
  /** The mail server; null: the service sends no emails. */
  smtp: SmtpConfig | null
  /** Whether message texts have an index, which every message pays for. */
  hasTextIndex: boolean
  /** Private destinations that webhooks may use. */
  webhookAllow: AllowList
  /** Proxies whose X-Forwarded-For is trusted. */
  trustProxy: readonly string[]
  logLevel: (typeof LOG_LEVELS)[number]
  /** Null: no traces are exported. */
  tracing: TracingConfig | null
}

export function readConfig(env: Env = processEnv()): Readonly<Config> {
  const mode = oneOf(env, 'LONGCODE_MODE', ['sandbox', 'production'], 'sandbox')
  const isSandbox = mode === 'sandbox'
  const host = text(env, 'HOST') ?? '127.0.0.1'
  const port = whole(env, 'PORT', 8080, 0, 65_535)
  const databaseUrl = text(env, 'DATABASE_URL')
  if (!isSandbox && !databaseUrl) {
    throw new BadSetting('DATABASE_URL is required in production: set it to a PostgreSQL ≥ 15.')
  }
  const firstToken = token(env, 'LONGCODE_TOKEN')
  const operatorToken = token(env, 'LONGCODE_OPERATOR_TOKEN')
  if (operatorToken !== null && operatorToken === firstToken) {
    throw new BadSetting('LONGCODE_OPERATOR_TOKEN must differ from LONGCODE_TOKEN.')
  }
  return Object.freeze({
    mode,
    host,
    port,
    publicUrl: ownUrl(env),
    dataDir: path.resolve(text(env, 'LONGCODE_DATA') ?? './data'),
    databaseUrl: databaseUrl === null ? null : postgresUrl(databaseUrl),
    databasePoolMax: whole(env, 'LONGCODE_DATABASE_POOL', 12, 2, 200),
    databaseStatementMs: whole(env, 'LONGCODE_DATABASE_TIMEOUT', 10, 1, 300) * 1000,
    databasePooler: oneOf(env, 'LONGCODE_DATABASE_POOLER', ['none', 'transaction'], 'none'),
    roles: roleList(env),
    firstToken,
    operatorToken,
    sandboxBalanceMicros: dollars(env, 'LONGCODE_SANDBOX_BALANCE', '100'),
    reviewMs: Math.round(decimal(env, 'LONGCODE_REVIEW_SECONDS', 3, 0, 86_400) * 1000),
    requestsPerSecond: whole(env, 'LONGCODE_RATE_LIMIT', isSandbox ? 0 : 100, 0, 1_000_000),
    requestsBurst: whole(env, 'LONGCODE_RATE_BURST', 200, 1, 1_000_000),
    connectionsMax: whole(env, 'LONGCODE_CONNECTIONS', 20_000, 0, 1_000_000),
    connectionsPerAddress: whole(env, CONNECTIONS_PER_ADDRESS, isSandbox ? 0 : 1_000, 0, 1_000_000),
    sendsWaitingMax: whole(env, 'LONGCODE_SENDS_WAITING', 4000, 1, 1_000_000),
    quotas: readQuotas(env),
    ...readRetention(env),
    segmentCounting: oneOf(env, 'LONGCODE_SEGMENTS', ['flat160', 'parts'], 'flat160'),
    mediaLinkHours: whole(env, 'LONGCODE_MEDIA_LINK_HOURS', 24, 1, 40),
    smsPriceMicros: dollars(env, 'LONGCODE_SMS_PRICE', '0.0079'),
    mmsPriceMicros: dollars(env, 'LONGCODE_MMS_PRICE', '0.02'),
    callPriceMicros: dollars(env, 'LONGCODE_CALL_PRICE', '0'),
    ...carrierSettings(env, isSandbox),
    registry: oneOf(
      env,
      'LONGCODE_REGISTRY',
      ['simulated', 'manual'],
      isSandbox ? 'simulated' : 'manual',
    ),
    oidc: readOidc(env),
    requiresSecondFactor:
      oneOf(env, 'LONGCODE_SECOND_FACTOR', ['optional', 'required'], 'optional') === 'required',
    smppServer: readSmppServer(settingsOf(env), { isSandbox, host }),
    ...readVoice(settingsOf(env), { isSandbox, host }),
    isMetricsPublic: flag(env, 'LONGCODE_METRICS_PUBLIC'),
    branding: readBranding(env),
    hasTextIndex: oneOf(env, 'LONGCODE_TEXT_SEARCH', ['off', 'on'], 'off') === 'on',
    supportTexts: oneOf(env, 'LONGCODE_SUPPORT_TEXTS', ['reason', 'hidden'], 'reason'),
    smtp: readSmtp(env),
    webhookAllow: allowList(env),
    trustProxy: proxyList(env),
    logLevel: oneOf(env, 'LONGCODE_LOG_LEVEL', LOG_LEVELS, 'info'),
    tracing: readTracing(env),
  })
}

type CarrierChoice = Pick<Config, 'carrier' | 'carriersFile' | 'ignoredCarrier' | 'allowsSimulator'>

/** A file of links takes precedence over LONGCODE_CARRIER. */
function carrierSettings(env: Env, isSandbox: boolean): CarrierChoice {
  const usual = isSandbox ? 'simulator' : 'none'
  const carrier = oneOf(env, 'LONGCODE_CARRIER', ['simulator', 'none'], usual)
  const file = text(env, 'LONGCODE_CARRIERS')
  const isPretence = flag(env, 'LONGCODE_ALLOW_SIMULATED_DELIVERIES')
  const allowsSimulator = isSandbox || isPretence
  if (file !== null) {
    const isSet = text(env, 'LONGCODE_CARRIER') !== null
    const carriersFile = path.resolve(file)
    const ignoredCarrier = isSet ? carrier : null
    return { carrier: 'links', carriersFile, ignoredCarrier, allowsSimulator }
  }
  if (carrier === 'simulator' && !allowsSimulator) {
    throw new BadSetting(
      'LONGCODE_CARRIER=simulator reports deliveries that never happened: in production it takes LONGCODE_ALLOW_SIMULATED_DELIVERIES=true as well.',
    )
  }
  return { carrier, carriersFile: null, ignoredCarrier: null, allowsSimulator }
}

/** Without the other settings, for code that only reads the links file. */
export function readCarrierChoice(
  env: Env = processEnv(),
): CarrierChoice & Pick<Config, 'publicUrl'> {
  const mode = oneOf(env, 'LONGCODE_MODE', ['sandbox', 'production'], 'sandbox')
  return { ...carrierSettings(env, mode === 'sandbox'), publicUrl: ownUrl(env) }
}

/** The same for code that only reads the trunks file. */
export function readTrunkChoice(
  env: Env = processEnv(),
): Pick<Config, 'mode' | 'trunksFile' | 'publicUrl'> {
  const mode = oneOf(env, 'LONGCODE_MODE', ['sandbox', 'production'], 'sandbox')
  const file = text(env, 'LONGCODE_TRUNKS')
  return { mode, trunksFile: file === null ? null : path.resolve(file), publicUrl: ownUrl(env) }
}

function ownUrl(env: Env): string {
  const host = text(env, 'HOST') ?? '127.0.0.1'
  const port = whole(env, 'PORT', 8080, 0, 65_535)
  const url = text(env, 'LONGCODE_PUBLIC_URL') ?? `http://${urlHost(host)}:${port}`
  return trimSlashes(url)
}

/** What the command line needs to connect to a service. */
export interface ClientSettings {
  url: string
  token: string | null
  dataDir: string
}

export function readClientSettings(env: Env = processEnv()): ClientSettings {
  const host = text(env, 'HOST') ?? '127.0.0.1'
  const port = whole(env, 'PORT', 8080, 0, 65_535)
  const url = text(env, 'LONGCODE_URL') ?? `http://${urlHost(host)}:${port}`
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new BadSetting(
      `LONGCODE_URL must be an address such as http://localhost:8080, not "${url}".`,
    )
  }
  return {
    url: trimSlashes(url),
    token: token(env, 'LONGCODE_TOKEN'),
    dataDir: path.resolve(text(env, 'LONGCODE_DATA') ?? './data'),
  }
}

function token(env: Env, name: string): string | null {
  const value = text(env, name)
  if (value !== null && !/^[\x21-\x7e]{16,200}$/.test(value)) {
    throw new BadSetting(`${name} must be 16 to 200 printable characters without spaces.`)
  }
  return value
}

function postgresUrl(value: string): string {
  if (splitDatabaseUrl(value) === null) {
    throw new BadSetting(
      'DATABASE_URL must look like postgres://user:password@host:5432/database; several hosts of one cluster are separated by commas.',
    )
  }
  return value
}

function allowList(env: Env): AllowList {
  const items = text(env, 'LONGCODE_WEBHOOK_ALLOW')?.split(',') ?? []
  const bad = items.find((item) => !readAllowList([item.trim()]))
  if (bad !== undefined) {
    throw new BadSetting(
      `LONGCODE_WEBHOOK_ALLOW takes host names, IP addresses and networks such as 10.0.0.0/8, without ports, not "${bad.trim()}".`,
    )
  }
  return readAllowList(items.map((item) => item.trim()))!
}

function proxyList(env: Env): readonly string[] {
  const items = text(env, 'LONGCODE_TRUST_PROXY')?.split(',') ?? []
  return items.map((item) => {
    const proxy = item.trim()
    const [address = '', bits, ...more] = proxy.split('/')
    const isNetwork = isIP(address) !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits ?? '0')
    if (isNetwork || proxy === 'loopback') return proxy
    throw new BadSetting(
      `LONGCODE_TRUST_PROXY takes IP addresses, networks such as 10.0.0.0/8, or loopback, not "${proxy}".`,
    )
  })
}

function roleList(env: Env): readonly Role[] {
  const value = text(env, 'LONGCODE_ROLES')
  if (value === null || value === 'all') return ROLES
  return value.split(',').map((item) => {
    const role = ROLES.find((one) => one === item.trim())
    if (!role) {
      throw new BadSetting(`LONGCODE_ROLES takes ${ROLES.join(', ')} or all, not "${item.trim()}".`)
    }
    return role
  })
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
