// Deletes texts and media past their retention: in the background by the account's setting, or immediately by an
// operator's command. Works in batches, so it delays nobody.

import type { AccountId } from '../../accounts/account.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { DAY_MS } from '../../kit/clock.js'
import { idFloor } from '../../kit/ids.js'
import type { Queryable, Store } from '../../kit/postgres/db.js'
import { deleteExportsBefore } from '../../messages/exports/write-exports.js'
import { redactMedia, redactTexts } from '../../messages/redact-queries.js'
import { redactRequests } from '../../webhooks/redact-queries.js'
import { type RetentionProgress, recordRetention } from '../accounts/retention-queries.js'

const PORTION = 1_000
/** Per step of the loop, so a stop of the service does not wait for millions of messages. */
const PORTIONS_PER_STEP = 20

/** Lower than every message id. */
const BEGINNING = ''

export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS)
}

interface Walk {
  redacted: number
  /** Where the next walk can start: everything below is done. */
  done: string
}

interface Range {
  after: string
  before: string
  portionsMax: number
}

/** Batch after batch, up to the end of the range or the maximum number of batches. */
async function walk(
  redact: typeof redactTexts,
  db: Queryable,
  accountId: AccountId,
  range: Range,
  onPortion: (seen: number) => void = () => {},
): Promise<Walk> {
  let { after } = range
  let redacted = 0
  let firstLeft: string | null = null
  for (let portions = 0; portions < range.portionsMax; portions += 1) {
    const portion = await redact(db, accountId, { ...range, after, limit: PORTION })
    redacted += portion.redacted
    firstLeft ??= portion.firstLeft
    onPortion(PORTION)
    if (portion.last === null) break
    after = portion.last
  }
  // A skipped message must be checked again, so the next walk starts right before it.
  return { redacted, done: firstLeft === null ? after : justBefore(firstLeft) }
}

function justBefore(id: string): string {
  return id.slice(0, -1)
}

/** Returns the number of redacted messages. */
export async function keepRetention(
  db: Store,
  progress: RetentionProgress,
  now: Date,
): Promise<number> {
  const { accountId, messageDays, mediaDays, messagesDone, mediaDone } = progress
  const texts =
    messageDays === null
      ? { redacted: 0, done: messagesDone }
      : await redactAllTexts(db, accountId, daysBefore(now, messageDays), {
          after: messagesDone,
          portionsMax: PORTIONS_PER_STEP,
        })
  const media =
    mediaDays === null
      ? { redacted: 0, done: mediaDone }
      : await walk(redactMedia, db, accountId, {
          after: mediaDone,
          before: idFloor('msg', daysBefore(now, mediaDays)),
          portionsMax: PORTIONS_PER_STEP,
        })
  if (texts.done !== messagesDone || media.done !== mediaDone) {
    await recordRetention(db, accountId, { messagesDone: texts.done, mediaDone: media.done })
  }
  return texts.redacted + media.redacted
}

async function redactAllTexts(
  db: Store,
  accountId: AccountId,
  before: Date,
  bounds: Omit<Range, 'before'>,
  onPortion?: (seen: number) => void,
): Promise<Walk> {
  const range = { ...bounds, before: idFloor('msg', before) }
  const texts = await walk(redactTexts, db, accountId, range, onPortion)
  await redactRequests(db, accountId, idFloor('dlv', before))
  await deleteExportsBefore(db, accountId, before)
  return texts
}

/** An operator's command: texts older than the given number of days, regardless of the account's setting. */
export async function redactMessages(
  db: Store,
  actor: Actor,
  accountId: AccountId,
  { days, withMedia, now }: { days: number; withMedia: boolean; now: Date },
  onPortion?: (seen: number) => void,
): Promise<{ texts: number; media: number }> {
  const before = daysBefore(now, days)
  const all = { after: BEGINNING, portionsMax: Number.POSITIVE_INFINITY }
  const { redacted: texts } = await redactAllTexts(db, accountId, before, all, onPortion)
  // A file of today may have texts that are deleted now.
  await deleteExportsBefore(db, accountId, now)
  const range = { ...all, before: idFloor('msg', before) }
  const media = withMedia ? (await walk(redactMedia, db, accountId, range)).redacted : 0
  const act = { act: 'message.redact', accountId, subject: accountId } as const
  await db.transaction((tx) =>
    recordAct(tx, actor, { ...act, before: null, after: { days, texts, media } }, now),
  )
  return { texts, media }
}
