// A list of the API: iterate over all of its records, or read one page.

import type { RequestOptions } from './transport.js'

const PAGE_SIZE = 100

interface Paging {
  limit?: number | undefined
  skip?: number | undefined
  after?: string | undefined
}

interface PageReply {
  hasMore?: boolean
  warnings?: readonly string[] | undefined
  next?: string | null | undefined
}

type Fetch<Query, Reply> = (query: Query, options?: RequestOptions) => Promise<Reply>

export class List<Item, Reply extends PageReply> implements AsyncIterable<Item> {
  readonly #query: Paging
  readonly #options: RequestOptions | undefined
  readonly #fetch: Fetch<never, Reply>
  readonly #itemsOf: (reply: Reply) => readonly Item[]
  readonly #cursorOf: (item: Item) => string

  /** @internal */
  constructor(
    query: Paging,
    options: RequestOptions | undefined,
    fetch: Fetch<never, Reply>,
    itemsOf: (reply: Reply) => readonly Item[],
    cursorOf: (item: Item) => string,
  ) {
    this.#query = query
    this.#options = options
    this.#fetch = fetch
    this.#itemsOf = itemsOf
    this.#cursorOf = cursorOf
  }

  /** One page, as the API returns it. */
  page(): Promise<Reply> {
    return this.#fetch(this.#query as never, this.#options)
  }

  /** Reads page after page. `limit` is the size of a page (default 100). */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let query: Paging = { limit: PAGE_SIZE, ...this.#query }
    for (;;) {
      const reply = await this.#fetch(query as never, this.#options)
      const items = this.#itemsOf(reply)
      yield* items
      // A page of a search may be empty although more follow. Then `next` has the position.
      const last = items.at(-1)
      const after = reply.next ?? (last === undefined ? undefined : this.#cursorOf(last))
      if (!reply.hasMore || after === undefined) return
      const { skip: _, ...rest } = query
      query = { ...rest, after }
    }
  }

  /** All records, in memory. */
  async toArray(): Promise<Item[]> {
    const all: Item[] = []
    for await (const item of this) all.push(item)
    return all
  }
}

export const byId = ({ id }: { id: string }): string => id
