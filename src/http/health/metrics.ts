// GET /metrics, and the counters of every request. It contains campaign names, so it requires an operator
// token. LONGCODE_METRICS_PUBLIC makes it public, without those names.

import type { FastifyInstance } from 'fastify'
import type { CounterCell } from '../../kit/metrics.js'
import type { World } from '../../kit/world.js'
import type { Link } from './link-view.js'
import { createGaugeReader, type Voice } from './metrics-gauges.js'
import { formatMetrics, METRICS_TYPE } from './metrics-text.js'

const SEND_ROUTE = '/v1/message/send'

export function useMetrics(
  app: FastifyInstance,
  world: World,
  rooms: { carrier: Link; voice: Voice },
  count: CountAnswer,
): void {
  const { metrics, config } = world
  app.addHook('onResponse', function countAnswer(request, { statusCode, elapsedTime }, done) {
    count(request.method, request.routeOptions.url ?? 'unknown', statusCode, elapsedTime)
    done()
  })
  const gauges = createGaugeReader(world, rooms.carrier, rooms.voice)
  app.addHook('onClose', async () => gauges.stop())

  const withLanes = !config.isMetricsPublic
  const scope = config.isMetricsPublic ? null : 'operator'
  app.get('/metrics', { config: { scope, failure: {} } }, async (_request, reply) => {
    const measured = await gauges.read({ withLanes })
    return reply
      .type(METRICS_TYPE)
      .send(formatMetrics(metrics.counters(), metrics.histograms(), measured))
  })
}

export type CountAnswer = (method: string, route: string, status: number, ms: number) => void

export function createAnswerCount({ metrics }: World): CountAnswer {
  const requests = metrics.counter('longcode_http_requests_total', 'Requests by route and status', [
    'method',
    'route',
    'status',
  ])
  const duration = metrics.histogram(
    'longcode_http_request_duration_seconds',
    'Request duration, without event streams',
  )
  const accepting = metrics.histogram(
    'longcode_accept_duration_seconds',
    'Duration of accepted sends, from the first byte to the response after the commit',
  )
  // By route, then by status. The label texts are built once.
  const cells = new Map<string, Map<number, CounterCell>>()
  return (method, route, status, ms) => {
    const key = method + route
    const byStatus = cells.get(key) ?? new Map<number, CounterCell>()
    let cell = byStatus.get(status)
    if (!cell) {
      cell = requests.cell(method, route, String(status))
      cells.set(key, byStatus.set(status, cell))
    }
    cell.value += 1
    const seconds = ms / 1000
    duration.observe(seconds)
    if (route === SEND_ROUTE && status === 200) accepting.observe(seconds)
  }
}
