// Starts tracing as the settings say.

import type { World } from './kit/world.js'

/** Loads tracing only if traces are exported. */
export async function startTracing(world: World): Promise<void> {
  const { config, db, log, metrics } = world
  if (config.tracing === null) return
  const { SpanExporter } = await import('./kit/tracing/span-exporter.js')
  const { createTracer } = await import('./kit/tracing/tracer.js')
  const { url, headers, ratio, serviceName } = config.tracing
  const exporter = new SpanExporter({
    ...{ url, headers, metrics },
    resource: { 'service.name': serviceName, 'longcode.roles': config.roles.join(',') },
    warn: (text) => log.warn(text),
  })
  const warn = (error: unknown, text: string) => log.warn({ err: error }, text)
  world.tracing = createTracer({ db, ratio, exporter, warn })
}
