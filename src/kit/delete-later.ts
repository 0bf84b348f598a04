// Deletes rows of finished work together, a moment later: one commit deletes many, and a row that stays a
// little longer does no harm. Neither does a row that could not be deleted: when its lease ends, it leads to
// nothing.

export interface DeleteLaterOptions<Row> {
  afterMs: number
  remove: (rows: readonly Row[]) => Promise<void>
  onError: (error: unknown) => void
}

export class DeleteLater<Row> {
  readonly #options: DeleteLaterOptions<Row>
  #rows: Row[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(options: DeleteLaterOptions<Row>) {
    this.#options = options
  }

  add(row: Row): void {
    this.#rows.push(row)
    // The options report its failure.
    this.#timer ??= setTimeout(() => void this.#remove(), this.#options.afterMs)
  }

  /** Deletes the rest immediately. */
  async drain(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    await this.#remove()
  }

  async #remove(): Promise<void> {
    const rows = this.#rows
    this.#timer = null
    this.#rows = []
    if (rows.length > 0) await this.#options.remove(rows).catch(this.#options.onError)
  }
}
