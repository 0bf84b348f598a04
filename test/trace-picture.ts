// Draws a received trace as an SVG timeline, for docs/tracing.md: a real trace, in the form that tracing tools show.

import type { ReceivedSpan } from './otlp-receiver.js'

const [WIDTH, LEFT, RIGHT, ROW, TOP] = [860, 250, 90, 30, 46]
const COLORS: Record<number, string> = { 1: '#64748b', 2: '#2563eb', 3: '#d97706', 5: '#0f766e' }

export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const rows = inOrder(spans)
  const startMs = Math.min(...spans.map((span) => span.startMs))
  const totalMs = Math.max(...spans.map((span) => span.endMs)) - startMs
  const height = TOP + rows.length * ROW + 14
  const scale = (WIDTH - LEFT - RIGHT) / totalMs
  const lines = rows.map(({ span, depth }, i) => {
    const y = TOP + i * ROW
    const x = LEFT + (span.startMs - startMs) * scale
    const width = Math.max(2, (span.endMs - span.startMs) * scale)
    return `  <text x="${14 + depth * 16}" y="${y + 15}">${labelOf(span)}</text>
  <rect x="${x.toFixed(1)}" y="${y + 4}" width="${width.toFixed(1)}" height="15" rx="2" fill="${COLORS[span.kind] ?? '#64748b'}"/>
  <text class="time" x="${(x + width + 6).toFixed(1)}" y="${y + 15}">${timeOf(span.endMs - span.startMs)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
  <title id="title">One trace: the request, the dispatch with the submit to the carrier, the receipt, and two webhooks</title>
  <style>text { font: 13px system-ui, sans-serif; fill: #0f172a } .time, .head { fill: #64748b; font-size: 12px }</style>
  <rect width="${WIDTH}" height="${height}" rx="6" fill="#f8fafc" stroke="#cbd5e1"/>
  <text class="head" x="14" y="26">trace ${spans[0]!.traceId} · ${spans.length} spans · ${timeOf(totalMs)}</text>
  <line x1="${LEFT}" y1="${TOP - 8}" x2="${LEFT}" y2="${height - 8}" stroke="#cbd5e1"/>
${lines.join('\n')}
</svg>
`
}

/** Each span after its parent, siblings by time. */
function inOrder(spans: readonly ReceivedSpan[]): { span: ReceivedSpan; depth: number }[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const below = (parent: string | null, depth: number): { span: ReceivedSpan; depth: number }[] =>
    spans
      .filter(({ parentSpanId }) =>
        parent === null ? !ids.has(parentSpanId ?? '') : parentSpanId === parent,
      )
      .sort((a, b) => a.startMs - b.startMs)
      .flatMap((span) => [{ span, depth }, ...below(span.spanId, depth + 1)])
  return below(null, 0)
}

function labelOf({ name, attributes }: ReceivedSpan): string {
  const detail = attributes['longcode.status'] ?? attributes['longcode.answer']
  return detail ? `${name}: ${detail}` : name
}

function timeOf(ms: number): string {
  return `${ms.toFixed(1)} ms`
}
