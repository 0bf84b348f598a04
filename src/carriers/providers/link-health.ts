// Whether a provider is worth asking. It is looked at now and then with a request that costs nothing, so that a lost
// key or a lost line is known before a message meets it; while it is down only such looks are sent, ever more slowly.

const FIRST_MS = 500
const MAX_MS = 60_000

export interface HealthDeps {
  /** Null: all is well. Else why not, in words for the operator. Never rejects. */
  look: () => Promise<string | null>
  /** Between two looks while it is up. */
  everyMs: number
  onChange: (detail: string | null) => void
}

export class LinkHealth {
  readonly #deps: HealthDeps
  #detail: string | null = null
  #delayMs = 0
  #timer: NodeJS.Timeout | null = null
  #isStopped = false

  constructor(deps: HealthDeps) {
    this.#deps = deps
  }

  /** Why it is down; null where it is up. */
  get detail(): string | null {
    return this.#detail
  }

  start(): void {
    this.#plan(0)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  /** A message met it. */
  fail(detail: string): void {
    if (this.#isStopped) return
    const wasUp = this.#detail === null
    this.#note(detail)
    if (wasUp) this.#plan(this.#nextDelay())
  }

  async #look(): Promise<void> {
    const detail = await this.#deps.look()
    if (this.#isStopped) return
    if (detail === null) this.#delayMs = 0
    this.#note(detail)
    this.#plan(detail === null ? this.#deps.everyMs : this.#nextDelay())
  }

  #note(detail: string | null): void {
    if (detail === this.#detail) return
    this.#detail = detail
    this.#deps.onChange(detail)
  }

  #nextDelay(): number {
    this.#delayMs = Math.min(Math.max(this.#delayMs * 2, FIRST_MS), MAX_MS)
    return this.#delayMs
  }

  #plan(ms: number): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), ms)
    this.#timer.unref()
  }
}
