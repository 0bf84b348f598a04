// Whether a provider can be reached. Occasional requests that cost nothing probe it, so a revoked key or a lost
// connection is noticed before a message fails. While it is down, only probes are sent, with backoff.

const FIRST_MS = 500
const MAX_MS = 60_000

export interface HealthDeps {
  /** Null: up. Otherwise the reason, for the operator. Never rejects. */
  probe: () => Promise<string | null>
  /** The interval between probes while it is up. */
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

  /** Why it is down. Null if it is up. */
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

  /** A message failed because of it. */
  fail(detail: string): void {
    if (this.#isStopped) return
    const wasUp = this.#detail === null
    this.#note(detail)
    if (wasUp) this.#plan(this.#nextDelay())
  }

  async #probe(): Promise<void> {
    const detail = await this.#deps.probe()
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
    this.#timer = setTimeout(() => void this.#probe(), ms)
    this.#timer.unref()
  }
}
