// Lets one waiter sleep until something happens, a time has passed, or the process stops. A wake without a waiter
// is kept for the next one.

export class Waker {
  #isCalled = false
  #rouse: () => void = () => {}

  wake(): void {
    this.#isCalled = true
    this.#rouse()
  }

  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#rouse = () => {
          clearTimeout(timer)
          resolve()
        }
        signal.addEventListener('abort', this.#rouse, { once: true })
      })
      signal.removeEventListener('abort', this.#rouse)
      this.#rouse = () => {}
    }
    this.#isCalled = false
  }
}
