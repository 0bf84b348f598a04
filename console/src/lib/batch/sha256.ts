// Incremental SHA-256. The browser's own needs the whole file at once and is missing on pages loaded over plain
// http.

const PRIMES = firstPrimes(64)
const K = Uint32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
const START = Uint32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const BLOCK = 64

export class Sha256 {
  private readonly hash = START.slice()
  private readonly words = new Uint32Array(64)
  private readonly rest = new Uint8Array(BLOCK)
  private restLength = 0
  private length = 0

  update(bytes: Uint8Array): void {
    this.length += bytes.length
    let at = 0
    if (this.restLength > 0) {
      at = Math.min(BLOCK - this.restLength, bytes.length)
      this.rest.set(bytes.subarray(0, at), this.restLength)
      this.restLength += at
      if (this.restLength < BLOCK) return
      this.take(this.rest, 0)
      this.restLength = 0
    }
    for (; at + BLOCK <= bytes.length; at += BLOCK) this.take(bytes, at)
    this.rest.set(bytes.subarray(at))
    this.restLength = bytes.length - at
  }

  /** The digest in hex. Nothing can be added after it. */
  digest(): string {
    const bits = this.length * 8
    const padded = new Uint8Array(this.restLength < 56 ? BLOCK : 2 * BLOCK)
    padded.set(this.rest.subarray(0, this.restLength))
    padded[this.restLength] = 0x80
    const view = new DataView(padded.buffer)
    view.setUint32(padded.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(padded.length - 4, bits >>> 0)
    for (let at = 0; at < padded.length; at += BLOCK) this.take(padded, at)
    return Array.from(this.hash, (word) => word.toString(16).padStart(8, '0')).join('')
  }

  private take(bytes: Uint8Array, at: number): void {
    const w = this.words
    for (let i = 0; i < 16; i += 1) {
      const j = at + i * 4
      w[i] = (bytes[j]! << 24) | (bytes[j + 1]! << 16) | (bytes[j + 2]! << 8) | bytes[j + 3]!
    }
    for (let i = 16; i < 64; i += 1) {
      const x = w[i - 15]!
      const y = w[i - 2]!
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
    }
    let [a, b, c, d, e, f, g, h] = this.hash as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    for (let i = 0; i < 64; i += 1) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
      const one = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries())
      this.hash[i] = this.hash[i]! + value
  }
}

export function sha256OfText(text: string): string {
  const sum = new Sha256()
  sum.update(new TextEncoder().encode(text))
  return sum.digest()
}

function turn(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by))
}

/** The first 32 bits of the fractional part. */
function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) >>> 0
}

function firstPrimes(count: number): number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n += 1) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  }
  return primes
}
