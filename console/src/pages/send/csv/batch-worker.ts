// The worker that has the file: it handles one request at a time and reports its progress.

import { BatchFile, Unreadable } from '../../../lib/batch/file'
import type { Choices } from '../../../lib/batch/plan'
import type { SendResult } from '../../../lib/batch/run'

export type Question =
  | { kind: 'read'; file: Blob }
  | { kind: 'plan'; choices: Choices }
  | { kind: 'block'; block: number }
  | { kind: 'take'; block: number; results: readonly SendResult[] }
  | { kind: 'results' }

export type WorkerEvent =
  | { id: number; kind: 'answer'; answer: unknown }
  | { id: number; kind: 'refused'; reason: string }
  | { id: number; kind: 'rows'; rows: number }

let file: BatchFile | null = null

addEventListener('message', async ({ data }: MessageEvent<Question & { id: number }>) => {
  const { id, ...question } = data
  try {
    tell({ id, kind: 'answer', answer: await answer(question as Question, id) })
  } catch (error) {
    const isKnown = error instanceof Unreadable
    const reason = isKnown ? error.message : `The file could not be read: ${String(error)}`
    tell({ id, kind: 'refused', reason })
  }
})

async function answer(question: Question, id: number): Promise<unknown> {
  switch (question.kind) {
    case 'read':
      file = await BatchFile.read(question.file.stream(), (rows) =>
        tell({ id, kind: 'rows', rows }),
      )
      return file.facts
    case 'plan':
      return file!.plan(question.choices)
    case 'block':
      return file!.block(question.block)
    case 'take':
      return file!.take(question.block, question.results)
    case 'results':
      return new Blob([...file!.resultLines()], { type: 'text/csv' })
  }
}

function tell(event: WorkerEvent): void {
  postMessage(event)
}
