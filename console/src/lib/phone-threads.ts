// What is on a phone: the texts that arrived and those written on it, by the number they were exchanged with.

import type { Message } from '../../generated/types.gen'

const ARRIVED = new Set(['DELIVERED', 'READ'])

export interface PhoneThread {
  /** The number of ours. */
  number: string
  /** Oldest first. */
  texts: readonly Message[]
}

/** From newest to oldest, as the API gives them; the thread of the latest text first. */
export function phoneThreads(messages: readonly Message[]): PhoneThread[] {
  const threads = new Map<string, Message[]>()
  for (const message of messages) {
    if (message.direction === 'OUTBOUND' && !ARRIVED.has(message.status)) continue
    const number = message.direction === 'OUTBOUND' ? message.from : message.to
    threads.set(number, [message, ...(threads.get(number) ?? [])])
  }
  return [...threads].map(([number, texts]) => ({ number, texts }))
}
