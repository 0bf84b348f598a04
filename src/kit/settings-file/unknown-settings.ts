// Finds names in the environment that look like settings but are none: a typo would otherwise be ignored without a word.
// A warning and not a refusal, because others put names there too: Kubernetes adds variables for a service "longcode".

import { readFileSync } from 'node:fs'
import { nearestName } from '../contract/nearest-name.js'
import { processEnv } from '../settings/environment.js'
import type { Env } from '../settings/setting-reader.js'

const PREFIX = 'LONGCODE_'
/** Without the prefix. A test compares them with .env.example. */
export const SETTING_NAMES: readonly string[] = `
  ACCOUNT_CALLS_PER_DAY ACCOUNT_CALLS_PER_SECOND ALLOW_SIMULATED_DELIVERIES BRAND_COLOR BRAND_LOGO BRAND_NAME
  BRAND_SUPPORT CALLER_DAYS CALL_PRICE CALL_RECORD_DAYS CARRIER CARRIERS
  CONNECTIONS CONNECTIONS_PER_ADDRESS DATA DATABASE_POOL DATABASE_POOLER DATABASE_TIMEOUT
  ENV_FILE FORWARD_CARIBBEAN FORWARD_CHANGES LOG_LEVEL MEDIA_LINK_HOURS METRICS_PUBLIC
  MMS_PRICE MODE NUMBER_CALLS_PER_DAY NUMBER_CALLS_PER_SECOND OIDC_CLIENT_ID OIDC_CLIENT_SECRET
  OIDC_GROUPS_CLAIM OIDC_ISSUER OIDC_NAME OIDC_ROLES OIDC_SCOPE OPERATOR_TOKEN
  PUBLIC_URL QUOTA_MEDIA_MB QUOTA_QUEUED QUOTA_STORED QUOTA_WEBHOOKS RATE_BURST RATE_LIMIT RECORD_DAYS REGISTRY REVIEW_SECONDS ROLES
  SANDBOX_BALANCE SECOND_FACTOR SEGMENTS SENDS_WAITING SIP_CONNECTIONS SIP_HOST
  SIP_PORT SIP_RATE SIP_TLS_CERT SIP_TLS_KEY SIP_TLS_PORT SMPP_BINDS
  SMPP_HOST SMPP_PLAINTEXT SMPP_PORT SMPP_RATE SMPP_TLS_CERT SMPP_TLS_KEY
  SMPP_WINDOW SMS_PRICE SMTP_FROM SMTP_URL SUPPORT_TEXTS TEXT_SEARCH
  TOKEN TRUNKS TRUST_PROXY URL WEBHOOK_ALLOW
`
  .trim()
  .split(/\s+/)

/** Settings of the build and of the compose files, which may share a file with ours. */
const OTHER_NAMES = ['COMMIT', 'HTTPS_PORT', 'SANDBOX_PORT']
const KUBERNETES_PORT = /(?:^|_)PORT_\d/
const KUBERNETES_VALUE = /^(?:tcp|udp|sctp):\/\//

const known = new Set([...SETTING_NAMES, ...OTHER_NAMES])
const candidates = new Map([
  ...SETTING_NAMES.map((name) => [name, { also: [] }] as const),
  ...['HOST', 'PORT', 'DATABASE_URL'].map((name) => [name, { also: [] }] as const),
])

/** One sentence for each. `files` may use variables with any name. */
export function describeUnknownSettings(
  files: readonly (string | null)[],
  env: Env = processEnv(),
): string[] {
  const texts = files.map((file) => (file === null ? '' : readFileSync(file, 'utf8')))
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX)) return []
    const rest = name.slice(PREFIX.length)
    const isUsed = known.has(rest) || texts.some((text) => text.includes(name))
    if (isUsed || isOfKubernetes(rest, value ?? '')) return []
    const near = nearestName(rest, candidates)
    if (near === null)
      return [`${name} is not a setting and is ignored. See .env.example for all settings.`]
    const full = SETTING_NAMES.includes(near) ? `${PREFIX}${near}` : near
    return [`${name} is not a setting and is ignored. Did you mean ${full}?`]
  })
}

/** Addresses of services: LONGCODE_SERVICE_HOST, LONGCODE_PORT_80_TCP_ADDR, LONGCODE_PORT=tcp://…. */
function isOfKubernetes(rest: string, value: string): boolean {
  return (
    rest.endsWith('SERVICE_HOST') ||
    rest.includes('SERVICE_PORT') ||
    KUBERNETES_PORT.test(rest) ||
    KUBERNETES_VALUE.test(value)
  )
}
