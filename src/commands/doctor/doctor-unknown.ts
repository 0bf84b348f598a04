// What `longcode doctor` reports about messages without a response from the carrier: how many there were in the last
// day, and their outcomes.

import { DAY_MS } from '../../kit/clock.js'
import type { Database } from '../../kit/postgres/db.js'
import { type Evidence, findEvidence } from '../../messages/evidence/link-evidence-queries.js'
import { type Finding, note, ok } from './doctor-checks.js'

const NAMES = ['unknown', 'matched', 'resent', 'refunded', 'recharged', 'forgiven'] as const

export async function checkUnknown(db: Database, now: Date): Promise<Finding> {
  const links = await findEvidence(db, new Date(now.getTime() - DAY_MS))
  const sum = (name: keyof Evidence) => links.reduce((total, link) => total + link[name], 0)
  if (NAMES.every((name) => sum(name) === 0)) {
    return ok('responses', 'Every message in the last 24 hours got a response from its carrier.')
  }
  const [unknown, matched, resent, refunded, recharged, forgiven] = NAMES.map(sum)
  const worst = links
    .filter((link) => link.unknown > 0)
    .map(({ link, unknown: count }) => `${link || 'unknown link'} ${count}`)
  const text =
    `Messages without a response in the last 24 hours: ${unknown} (${worst.join(', ') || 'none'}). ` +
    `${matched} matched by a receipt, ${resent} resent, ${refunded} refunded, ` +
    `${recharged} charged again after a late receipt, ${forgiven} delivered late and not charged.`
  if (refunded === 0) return ok('responses', text)
  return note(
    'responses',
    text,
    'A trace of the link shows whether responses are late. See "Unknown outcomes" in docs/carriers.md.',
  )
}
