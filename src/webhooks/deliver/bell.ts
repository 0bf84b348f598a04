// Lets one waiter sleep until something happens, a time has passed or the process stops. A ring that
// nobody hears is kept for the next waiter.

export class Bell {
  #isRung = false
  #wake: () => void = () => {}

  ring(): void {
    this.#isRung = true
    this.#wake()
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', this.#wake, { once: true })
      })
      signal.removeEventListener('abort', this.#wake)
      this.#wake = () => {}
    }
    this.#isRung = false
  }
}
