// Opt-outs: nothing is accepted for a phone after its STOP was acknowledged, nothing is sent to it, not even what was
// scheduled before, and every STOP that counts has one event.

import type { Taken } from '../carrier.js'
import type { InboundText, Journal } from '../journal.js'
import { type Evidence, type Finding, groupBy, isStop } from './evidence.js'

/** Messages that a dispatcher had leased when the STOP came may still be sent. */
const LEASE_MS = 60_000
/** A scheduled message is not leased before it is due. */
const DUE_MS = 500

export function judgeOptouts(evidence: Evidence): Finding[] {
  const { journal, taken } = evidence
  return [
    ['accepted after a STOP', judgeAccepted(journal)],
    ['sent after a STOP', judgeSent(journal, taken)],
    ['opt-outs lost or doubled', judgeEvents(evidence)],
  ]
}

/** Sends after the STOP was acknowledged must have been refused. */
function judgeAccepted({ wanted, stopped }: Evidence['journal']): string[] {
  return stopped.flatMap(({ customer, phone, fromMs, untilMs }) =>
    wanted
      .filter(
        (one) =>
          one.to === phone &&
          one.customer === customer &&
          one.answer === 'accepted' &&
          one.askedAtMs > fromMs &&
          one.askedAtMs < untilMs,
      )
      .map(({ id, text }) => `${id} (${text})`),
  )
}

function judgeSent({ wanted, stopped }: Evidence['journal'], taken: readonly Taken[]): string[] {
  const byText = new Map(wanted.map((one) => [one.text, one]))
  return stopped.flatMap(({ customer, phone, fromMs, untilMs }) =>
    taken
      .filter(({ from, to, text, atMs }) => {
        const one = byText.get(text)
        if (!one || from !== customer.number || to !== phone) return false
        const isDueLater = (one.scheduledAtMs ?? 0) > fromMs + DUE_MS
        return atMs > fromMs + (isDueLater ? 0 : LEASE_MS) && atMs < untilMs
      })
      .map(({ text }) => text),
  )
}

/** At least one for each acknowledged STOP after an acknowledged START, and at most one for each that was written. */
function judgeEvents({ journal, facts, cutoffMs }: Evidence): string[] {
  const events = facts.events.filter(({ eventType }) => eventType === 'recipient.optout')
  const byPhone = groupBy(events, ({ data }) => data?.recipient ?? '')
  return [...groupBy(journal.inbound, ({ from }) => from)].flatMap(([phone, texts]) => {
    const { least, most } = stopsOf(texts, cutoffMs)
    const count = byPhone.get(phone)?.length ?? 0
    if (count >= least && count <= most) return []
    return [`${phone}: ${count} events, expected ${least} to ${most}`]
  })
}

function stopsOf(texts: Journal['inbound'], cutoffMs: number): { least: number; most: number } {
  const isKept = ({ keptAtMs }: InboundText) => keptAtMs !== null && keptAtMs < cutoffMs
  let [least, isOptedIn] = [0, true]
  for (const text of texts) {
    if (isStop(text) && isKept(text) && isOptedIn) least += 1
    if (isStop(text)) isOptedIn = false
    else if (/^start/i.test(text.text)) isOptedIn = isKept(text)
  }
  return { least, most: texts.filter(isStop).length }
}
