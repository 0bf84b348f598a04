// Requests to the worker that has the file, each with its response.

import { Unreadable } from '../../../lib/batch/file'
import type { Question, Told } from './batch-worker'

export interface FileWorker {
  ask: <Answer>(question: Question) => Promise<Answer>
  end: () => void
}

interface Waiting {
  resolve: (answer: never) => void
  reject: (error: Error) => void
}

export function startFileWorker(onRows: (rows: number) => void): FileWorker {
  const worker = new Worker(new URL('./batch-worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  worker.onmessage = ({ data: told }: MessageEvent<Told>) => {
    if (told.kind === 'rows') {
      onRows(told.rows)
      return
    }
    const asked = waiting.get(told.id)
    waiting.delete(told.id)
    if (told.kind === 'answer') asked?.resolve(told.answer as never)
    else asked?.reject(new Unreadable(told.reason))
  }
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Unreadable('The file could not be read.'))
    waiting.clear()
  }
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        worker.postMessage({ ...question, id: lastId })
      }),
    end: () => worker.terminate(),
  }
}
