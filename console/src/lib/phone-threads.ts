// The messages on a sandbox phone, received and sent, grouped by your number.

import type { Message } from '../../generated/types.gen'

const ARRIVED = new Set(['DELIVERED', 'READ'])

export interface PhoneThread {
  /** Your number. */
  number: string
  /** Oldest first. */
  texts: readonly Message[]
}

/** Input is newest first, as the API returns it. The thread with the latest message comes first. */
export function phoneThreads(messages: readonly Message[]): PhoneThread[] {
  const threads = new Map<string, Message[]>()
  for (const message of messages) {
    if (message.direction === 'OUTBOUND' && !ARRIVED.has(message.status)) continue
    const number = message.direction === 'OUTBOUND' ? message.from : message.to
    threads.set(number, [message, ...(threads.get(number) ?? [])])
  }
  return [...threads].map(([number, texts]) => ({ number, texts }))
}
