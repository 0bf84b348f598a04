// Holds the log back until the start banner is printed, so that the first lines a person sees are the banner and not
// JSON. A slow start shows its log after a while, and a process that ends shows all of it.

import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

const HELD_MS_MAX = 5_000

export interface HeldOutput extends DestinationStream {
  /** Writes what was held; later lines are written at once. */
  release: () => void
}

export function holdOutput(
  destination: DestinationStream,
  writeLast: (text: string) => void = (text) => writeSync(2, text),
): HeldOutput {
  let held: string[] | null = []
  const flush = (write: (text: string) => void) => {
    if (held === null) return
    const text = held.join('')
    held = null
    clearTimeout(timer)
    process.removeListener('exit', onExit)
    if (text !== '') write(text)
  }
  const release = () => flush((text) => destination.write(text))
  const onExit = () => flush(writeLast)
  const timer = setTimeout(release, HELD_MS_MAX).unref()
  process.once('exit', onExit)
  return {
    write: (line) => {
      if (held === null) destination.write(line)
      else held.push(line)
    },
    release,
  }
}
