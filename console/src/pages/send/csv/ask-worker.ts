// Requests to the worker that has the file, each with its response.

import { Unreadable } from '../../../lib/batch/file'
import type { Question, WorkerEvent } from './batch-worker'

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
  worker.onmessage = ({ data: event }: MessageEvent<WorkerEvent>) => {
    if (event.kind === 'rows') {
      onRows(event.rows)
      return
    }
    const pending = waiting.get(event.id)
    waiting.delete(event.id)
    if (event.kind === 'answer') pending?.resolve(event.answer as never)
    else pending?.reject(new Unreadable(event.reason))
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
