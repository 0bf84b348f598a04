// Settings of traces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTracing } from './tracing-config.js'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' }

test('tracing is off without an endpoint, or if OpenTelemetry is disabled', () => {
  assert.equal(readTracing({}), null)
  assert.equal(readTracing({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }), null)
})

test('an endpoint, headers, a ratio, and a name are read', () => {
  assert.deepEqual(readTracing(ENDPOINT), {
    url: 'http://127.0.0.1:4318/v1/traces',
    headers: {},
    ratio: 1,
    serviceName: 'longcode',
  })
  const all = readTracing({
    ...ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: 'Api-Key=a%20b, tenant=acme=1',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
    OTEL_SERVICE_NAME: 'sms',
  })
  assert.deepEqual(all?.headers, { 'api-key': 'a b', tenant: 'acme=1' })
  assert.deepEqual([all?.ratio, all?.serviceName], [0.01, 'sms'])
})

test('invalid values are refused with the name of the setting', () => {
  const refused = (env: Record<string, string>) => () => readTracing({ ...ENDPOINT, ...env })
  assert.throws(refused({ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }), /must be a URL/)
  const withPassword = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://ana:secret@traces.test' }
  assert.throws(
    refused(withPassword),
    (error: Error) => /user name or password/.test(error.message) && !/secret/.test(error.message),
  )
  assert.throws(refused({ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }), /must be a list such as/)
  assert.throws(refused({ OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' }), /not percent-encoded/)
  assert.throws(refused({ OTEL_TRACES_SAMPLER_ARG: '2' }), /must be a number from 0 to 1/)
})
