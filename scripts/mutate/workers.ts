// The workers of a run, each with its own mirror and database names, and how they share the work.

import { startTestDatabase } from '../test-database.mjs'
import { createWorker, type Worker } from './run-test.js'

/** Stops the database and removes the mirrors afterward. */
export async function withWorkers<R>(
  jobs: number,
  work: (workers: readonly Worker[]) => Promise<R>,
): Promise<R> {
  const server = await startTestDatabase()
  try {
    const workers = Array.from({ length: jobs }, (_, i) => createWorker(`mutant${i + 1}`, server))
    process.on('exit', () => {
      for (const { mirror } of workers) mirror.remove()
    })
    return await work(workers)
  } finally {
    await server.stop()
  }
}

/** Each worker takes the next as soon as it is free. What answers null is left out. */
export async function share<T, R>(
  workers: readonly Worker[],
  items: readonly T[],
  work: (item: T, worker: Worker) => Promise<R | null>,
): Promise<R[]> {
  const queue = [...items]
  const results: R[] = []
  await Promise.all(
    workers.map(async (worker) => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
        const result = await work(item, worker)
        if (result !== null) results.push(result)
      }
    }),
  )
  return results
}
