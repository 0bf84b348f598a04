// Sends queued emails. Any number of processes may: each email is claimed with a lease first. A process that is killed after
// the server accepted an email and before that was recorded leaves it to the next one, so a person may get it twice,
// with the same Message-ID.

import type { AccountId } from '../accounts/account.js'
import { MINUTE_MS } from '../kit/clock.js'
import type { Queryable } from '../kit/postgres/db.js'
import type { Branding } from '../kit/settings/branding-rules.js'
import type { Loop } from '../kit/worker-loop.js'
import type { World } from '../kit/world.js'
import { type QueuedEmail, renderEmail } from './email.js'
import { claimEmail, listDueEmails, recordAttempt } from './email-queries.js'
import { createMailer, type Mailer } from './smtp.js'

const IDLE_MS = 5_000
/** People wait for codes and links. */
const IDLE_MS_MAX = 20_000
const PORTION = 20
/** Longer than an attempt can take. */
const LEASE_MS = 2 * MINUTE_MS
/** After each failed attempt. Then it is given up. */
const RETRY_MS = [1, 5, 30, 120, 360].map((minutes) => minutes * MINUTE_MS)

/** What the account sees instead of our name. Passed in, because branding belongs to a module above. */
export type FindBranding = (db: Queryable, accountId: AccountId) => Promise<Branding>

/** None if no mail server is set. */
export function emailLoops(world: World, findBranding: FindBranding): Loop[] {
  const { smtp } = world.config
  if (smtp === null) return []
  const mailer = createMailer(smtp)
  return [
    {
      name: 'emails',
      idleMs: () => Math.min(world.hints.pollMs(IDLE_MS, 'schedule'), IDLE_MS_MAX),
      onError: (error) => world.log.error({ err: error }, 'could not send emails'),
      step: (signal) => sendEmails(world, mailer, findBranding, signal),
    },
  ]
}

/** Returns how many were attempted. */
export async function sendEmails(
  world: World,
  mailer: Mailer,
  findBranding: FindBranding,
  signal?: AbortSignal,
): Promise<number> {
  const { db, clock } = world
  let attempted = 0
  for (const email of await listDueEmails(db, clock.machineNow(), PORTION)) {
    if (signal?.aborted) break
    const until = new Date(clock.machineNow().getTime() + LEASE_MS)
    if (!(await claimEmail(db, email, until))) continue
    await attempt(world, mailer, email, await findBranding(db, email.accountId))
    attempted += 1
  }
  return attempted
}

async function attempt(
  { db, clock, log }: World,
  mailer: Mailer,
  email: QueuedEmail,
  branding: Branding,
): Promise<void> {
  const { id, recipient, content, attempts } = email
  const result = await mailer.send({ id, recipient, ...renderEmail(content, branding) })
  const now = clock.machineNow()
  if (result.ok) {
    await recordAttempt(db, email, { problem: null, dueAt: null, now })
    return
  }
  const delayMs = result.isFinal ? undefined : RETRY_MS[attempts]
  const dueAt = delayMs === undefined ? null : new Date(now.getTime() + delayMs)
  await recordAttempt(db, email, { problem: result.problem, dueAt, now })
  const text = dueAt === null ? 'an email was given up' : 'an email was not sent'
  log.warn({ email: id, problem: result.problem, attempts: attempts + 1 }, text)
}
