// The trend of a series of figures: a least-squares line through them.

/** The growth of the line from the first figure to the last, relative to its start. */
export function growthOf(values: readonly number[]): number {
  const n = values.length
  if (n < 2) return 0
  const meanX = (n - 1) / 2
  const meanY = values.reduce((sum, value) => sum + value, 0) / n
  let [products, squares] = [0, 0]
  for (const [x, y] of values.entries()) {
    products += (x - meanX) * (y - meanY)
    squares += (x - meanX) ** 2
  }
  const slope = products / squares
  const start = meanY - slope * meanX
  return start === 0 ? 0 : (slope * (n - 1)) / start
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}
