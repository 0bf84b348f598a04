// The cost of text in the send path: folding characters, measuring, and counting segments of one message. The result is
// the slower of the two ordinary texts in microseconds, so lower is better. The target is 2.

import { performance } from 'node:perf_hooks'
import { prepareText } from '../src/text/segments.js'

const ASCII =
  'Hi Sam, your order 48213 has left our store and will arrive on Tuesday by 5 pm. Reply STOP to opt out'

const TEXTS: ReadonlyArray<readonly [name: string, text: string]> = [
  ['plain ASCII', ASCII],
  ['curly quotes', ASCII.replace('Hi Sam', '“Hi” Sam').replace('our', 'Kim’s').replace('. ', '… ')],
  ['UCS-2 with emoji', ASCII.replace('Hi Sam', '“Hi” Sam 🎉')],
]

const ROUNDS = 9
const CALLS = 50_000

export async function run(): Promise<{ lines: string[]; ratio: number }> {
  const results = TEXTS.map(([name, text]) => ({ name, text, micros: medianMicros(text) }))
  const lines = results.map(({ name, text, micros }) => {
    const { encoding, segments } = prepareText(text)
    return `${name} (${text.length} units, ${encoding}, ${segments} segments): ${micros.toFixed(3)} µs`
  })
  return { lines, ratio: Math.max(results[0]!.micros, results[1]!.micros) }
}

function medianMicros(text: string): number {
  const rounds = Array.from({ length: ROUNDS }, () => microsPerCall(text))
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1]!
}

function microsPerCall(text: string): number {
  let segments = 0
  const start = performance.now()
  for (let i = 0; i < CALLS; i++) segments += prepareText(text).segments
  const elapsedMs = performance.now() - start
  if (segments < CALLS) throw new Error('every text takes at least one segment')
  return (elapsedMs * 1000) / CALLS
}
