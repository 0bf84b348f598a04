// Who hosts the numbers that messages leave from, in memory, so that routing costs no query per message. What is not
// known is read in batches, at most once in half a minute per number: a number changes hosts only when it is sold again
// or when the operator restates it.

import { BatchWriter } from '../../kit/batch-writer.js'
import { Cache } from '../../kit/cache.js'
import type { World } from '../../kit/world.js'
import { findHostedNumbers } from '../../numbers/hosting-queries.js'
import type { HostedNumber } from '../../numbers/number.js'

const NUMBERS_MAX = 50_000
const KEPT_MS = 30_000
/** It may have been bought this moment. */
const KEPT_UNKNOWN_MS = 1_000
const BATCH_MAX = 1_000

export class NumberHosts {
  readonly #log: World['log']
  readonly #numbers = new Cache<string, HostedNumber | null>({
    max: NUMBERS_MAX,
    keptMs: (number) => (number ? KEPT_MS : KEPT_UNKNOWN_MS),
  })
  readonly #reader: BatchWriter<string, HostedNumber | null>

  constructor({ db, log }: Pick<World, 'db' | 'log'>) {
    this.#log = log
    this.#reader = new BatchWriter({
      batchMax: BATCH_MAX,
      write: async (phoneNumbers) => {
        const found = await findHostedNumbers(db, phoneNumbers)
        return phoneNumbers.map((phoneNumber) => found.get(phoneNumber) ?? null)
      },
    })
  }

  /** Null in the place of a number that nobody holds. Undefined: it has to be read first. */
  peek(phoneNumber: string): HostedNumber | null | undefined {
    return this.#numbers.peek(phoneNumber)
  }

  /** Null where it is known already. Never rejects: what cannot be read now stays unknown. */
  read(phoneNumber: string): Promise<void> | null {
    if (this.#numbers.peek(phoneNumber) !== undefined) return null
    return this.#numbers
      .get(phoneNumber, (one) => this.#reader.add(one))
      .then(
        () => {},
        (error) => this.#log.warn({ err: error }, 'the hosts of numbers could not be read'),
      )
  }

  /** The same for all that are not known. */
  readAll(phoneNumbers: Iterable<string>): Promise<unknown> | null {
    const reads = [...new Set(phoneNumbers)].flatMap((one) => this.read(one) ?? [])
    return reads.length === 0 ? null : Promise.all(reads)
  }
}
