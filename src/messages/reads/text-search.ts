// Text search with the index: the bounded walk first, which finds common texts at once. If it does not fill the page, the
// text is rare, and the index finds the rest. Without the index, or if it takes too long, the client continues the walk.

import type { AccountId } from '../../accounts/account.js'
import type { Config } from '../../kit/config.js'
import type { Page } from '../../kit/contract/schema.js'
import type { Store } from '../../kit/postgres/db.js'
import { DatabaseFailure } from '../../kit/postgres/db-failure.js'
import type { Loop } from '../../kit/worker-loop.js'
import type { World } from '../../kit/world.js'
import { type SearchFilter, searchMessages } from './search-queries.js'
import {
  createTextIndex,
  createTrigrams,
  dropTextIndex,
  listTextIndexes,
  searchByIndex,
} from './text-index-queries.js'
import type { WalkPage } from './walk-queries.js'

/** A shorter text has no trigram, so the index does not help. */
const TEXT_LENGTH_MIN = 3
const CHECKED_MS = 60_000
const IDLE_MS = 60_000

export class TextSearch {
  readonly #isOn: boolean
  readonly #clock: World['clock']
  #isReady = false
  #checkedMs = Number.NEGATIVE_INFINITY

  constructor({ config, clock }: { config: Pick<Config, 'hasTextIndex'>; clock: World['clock'] }) {
    this.#isOn = config.hasTextIndex
    this.#clock = clock
  }

  async search(
    db: Store,
    accountId: AccountId,
    filter: SearchFilter,
    page: Page,
    reach?: number,
  ): Promise<WalkPage> {
    const walked = await searchMessages(db, accountId, filter, page, reach)
    const missing = page.limit - walked.messages.length
    const isLong = filter.text !== null && filter.text.length >= TEXT_LENGTH_MIN
    if (walked.next === null || missing <= 0 || !isLong || !(await this.#canUse(db))) return walked
    const rest = { limit: missing + 1, after: walked.next }
    const found = await searchByIndex(db, accountId, filter, rest).catch((error) => {
      if (isTooSlow(error)) return null
      throw error
    })
    if (!found) return walked
    const messages = [...walked.messages, ...found.slice(0, missing)]
    return { messages, next: found.length > missing ? messages.at(-1)!.id : null }
  }

  /** Whether every partition has its index. */
  async #canUse(db: Store): Promise<boolean> {
    if (!this.#isOn) return false
    const nowMs = this.#clock.nowMs()
    if (Math.abs(nowMs - this.#checkedMs) > CHECKED_MS) {
      this.#isReady = (await listTextIndexes(db)).every(({ state }) => state === 'ready')
      this.#checkedMs = nowMs
    }
    return this.#isReady
  }
}

function isTooSlow(error: unknown): boolean {
  return error instanceof DatabaseFailure && error.trouble === 'database_busy'
}

/** Creates missing indexes, one at a time, also for partitions that are made later. Nothing runs if the setting is off. */
export function textIndexLoops({ db, config, log }: World): Loop[] {
  if (!config.hasTextIndex) return []
  const step = async () => {
    await createTrigrams(db.patient)
    const indexes = await listTextIndexes(db)
    for (const { partition, state } of indexes) {
      if (state === 'failed') await dropTextIndex(db.patient, partition)
      if (state === 'absent' || state === 'failed') {
        await createTextIndex(db.patient, partition)
        log.info({ partition }, 'text index created')
      }
    }
    return 0
  }
  const onError = (error: unknown) =>
    log.error(
      { err: error },
      'could not create the text index: searches read 10,000 messages at a time',
    )
  return [
    {
      name: 'text index',
      idleMs: IDLE_MS,
      errorDelayMs: 10_000,
      errorDelayMsMax: IDLE_MS,
      step,
      onError,
    },
  ]
}
