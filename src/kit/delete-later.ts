// Deletes rows of finished work together, a moment later: one commit deletes many, and a row that stays a
// little longer does no harm. Neither does a row that could not be deleted: when its lease ends, it leads to
// nothing.

export interface ForgetOptions<Row> {
  afterMs: number
  forget: (rows: readonly Row[]) => Promise<void>
  onError: (error: unknown) => void
}

export class ForgetLater<Row> {
  readonly #options: ForgetOptions<Row>
  #rows: Row[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(options: ForgetOptions<Row>) {
    this.#options = options
  }

  add(row: Row): void {
    this.#rows.push(row)
    // The options report its failure.
    this.#timer ??= setTimeout(() => void this.#forget(), this.#options.afterMs)
  }

  /** Deletes the rest immediately. */
  async drain(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    await this.#forget()
  }

  async #forget(): Promise<void> {
    const rows = this.#rows
    this.#timer = null
    this.#rows = []
    if (rows.length > 0) await this.#options.forget(rows).catch(this.#options.onError)
  }
}
