// Where traces go, by the variables that OpenTelemetry defines for all programs.

import { BadSetting, decimal, type Env, flag, text } from './setting-reader.js'
import { trimSlashes } from './trim-slashes.js'

export interface TracingConfig {
  /** The OTLP/HTTP address of traces. */
  url: string
  headers: Readonly<Record<string, string>>
  /** The share of requests that are traced, 0 to 1. */
  ratio: number
  serviceName: string
}

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'

/** Null if no traces are exported. */
export function readTracing(env: Env): TracingConfig | null {
  const endpoint = text(env, ENDPOINT)
  if (endpoint === null || flag(env, 'OTEL_SDK_DISABLED')) return null
  if (!/^https?:\/\/[^\s/]/.test(endpoint) || !URL.canParse(endpoint)) {
    throw new BadSetting(
      `${ENDPOINT} must be a URL such as http://127.0.0.1:4318, not "${endpoint}".`,
    )
  }
  const { username, password } = new URL(endpoint)
  // The address is logged if the receiver is down.
  if (username || password) {
    throw new BadSetting(
      `${ENDPOINT} must not have a user name or password. Set OTEL_EXPORTER_OTLP_HEADERS instead.`,
    )
  }
  return {
    url: `${trimSlashes(endpoint)}/v1/traces`,
    headers: readHeaders(env),
    ratio: decimal(env, 'OTEL_TRACES_SAMPLER_ARG', 1, 0, 1),
    serviceName: text(env, 'OTEL_SERVICE_NAME') ?? 'longcode',
  }
}

/** As in `api-key=secret,tenant=acme`, values percent-encoded. */
function readHeaders(env: Env): Record<string, string> {
  const name = 'OTEL_EXPORTER_OTLP_HEADERS'
  const pairs = (text(env, name) ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      const key = pair.slice(0, Math.max(0, at)).trim().toLowerCase()
      if (!/^[a-z0-9!#$&^_.+-]+$/.test(key)) {
        throw new BadSetting(`${name} must be a list such as api-key=secret,tenant=acme.`)
      }
      return [key, decoded(name, pair.slice(at + 1).trim())]
    }),
  )
}

function decoded(name: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw new BadSetting(`${name} has a value that is not percent-encoded correctly.`)
  }
}
