// Imports numbers from a CSV file, all or none, and lists what is wrong with each invalid row.

import { type ChangeEvent, type FormEvent, useState } from 'react'
import type { OperatorImportNumbersReply } from '../../../../generated/types.gen'
import { ApiFailure, request } from '../../../api/request'
import { plural } from '../../../lib/format'

import { splitCsv } from '../../../lib/split-csv'
import { useAct } from '../../../lib/use-act'
import { useDraft } from '../../../lib/use-draft'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { ErrorNotice, Notice } from '../../../ui/feedback/Notice'
import { Button } from '../../../ui/inputs/Button'
import { Field, TextArea } from '../../../ui/inputs/Field'

const EXAMPLE = 'number,monthlyPrice,location\n+14152004000,1.00,"San Francisco, CA"\n'
// A larger draft would not fit into the browser's storage.
const BYTES_MAX = 4 * 1024 * 1024
const PIECE_ROWS = 5_000

export function ImportNumbers() {
  const [{ csv }, setFields, draft] = useDraft('operator-import', { csv: '' })
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const [done, setDone] = useState(0)
  const pieces = splitCsv(csv, PIECE_ROWS)
  const put = useAct((key) => importPieces(pieces, key, setDone), { onDone: () => draft.clear() })
  const rows = csv.split(/\r?\n|\r/).filter((line) => line.trim() !== '').length - 1
  const take = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const file = target.files?.[0]
    target.value = ''
    if (!file) return
    const isTooLarge = file.size > BYTES_MAX
    setFileProblem(
      isTooLarge ? `${file.name} is over 4 MiB. Run longcode number import on the server.` : null,
    )
    if (!isTooLarge) {
      put.reset()
      setFields({ csv: await file.text() })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (rows > 0) put.run()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Field
        label="CSV file"
        help="Columns: number, monthlyPrice, and optionally location. Imported in batches of 5,000 rows. Each batch is all or nothing."
        error={fileProblem}
      >
        {(tied) => (
          <input
            {...tied}
            type="file"
            accept=".csv,text/csv,text/plain"
            onChange={(event) => void take(event)}
            className="min-h-8 w-full cursor-pointer text-sm file:mr-3 file:min-h-8 file:cursor-pointer file:rounded-md file:border file:border-line-strong file:bg-surface file:px-3 file:text-ink pointer-coarse:min-h-11 pointer-coarse:file:min-h-11"
          />
        )}
      </Field>
      <Field label="Or paste CSV">
        {(tied) => (
          <TextArea
            {...tied}
            rows={5}
            spellCheck={false}
            className="font-mono"
            placeholder={EXAMPLE}
            value={csv}
            onChange={(event) => {
              if (put.error || put.reply) put.reset()
              setFields({ csv: event.target.value })
            }}
          />
        )}
      </Field>
      {put.error ? (
        <Problems error={put.error} csv={pieces[done] ?? csv} done={done * PIECE_ROWS} />
      ) : null}
      {put.reply ? (
        <Notice tone="go" title={`${plural(put.reply.imported, 'number')} imported`} isAnswer />
      ) : null}
      <div className="flex flex-wrap gap-2">
        <Button
          look="filled"
          type="submit"
          busy={put.isBusy && progressText(done, pieces.length, rows)}
          blocked={rows <= 0 && 'Choose a file with a header and at least one row'}
        >
          Import{rows > 0 ? ` ${plural(rows, 'row')}` : ''}
        </Button>
        <ApiRequestButton
          request={{
            method: 'POST',
            path: '/operator/v1/number/import',
            body: { csv: rows > 0 && csv.length < 2_000 ? csv : EXAMPLE },
          }}
        />
      </div>
    </form>
  )
}

/** One piece after another, so the server handles other requests in between. If a piece is refused, earlier ones stay. */
async function importPieces(
  pieces: readonly string[],
  key: string,
  onDone: (count: number) => void,
): Promise<OperatorImportNumbersReply> {
  let imported = 0
  const existing = pieces.length > 1 ? 'skip' : 'refuse'
  for (const [i, csv] of pieces.entries()) {
    onDone(i)
    const reply = await request('POST /operator/v1/number/import', {
      body: { csv, existing },
      key: `${key}-${i}`,
    })
    imported += reply.imported
  }
  return { success: true, imported }
}

function progressText(done: number, pieces: number, rows: number): string {
  if (pieces <= 1) return 'Importing…'
  return `Importing… ${(done * PIECE_ROWS).toLocaleString('en-US')} of ${rows.toLocaleString('en-US')}`
}

const SHOWN_MAX = 100

/** Each invalid row: its text and its problem. */
function Problems({ error, csv, done }: { error: Error; csv: string; done: number }) {
  const details = error instanceof ApiFailure ? error.details : []
  const lines = csv.split(/\r?\n|\r/)
  if (details.length === 0) return <ErrorNotice error={error} isAnswer />
  return (
    <>
      <Notice
        tone="bad"
        title={
          done === 0
            ? `Nothing was imported: ${plural(details.length, 'row is', 'rows are')} invalid.`
            : `The first ${plural(done, 'row')} were imported. Of the next ${plural(PIECE_ROWS, 'row')}, ${plural(details.length, 'is', 'are')} invalid.`
        }
        isAnswer
      >
        Fix them and import again. Your text is saved, and numbers already for sale are skipped.
      </Notice>
      <ul aria-label="Invalid rows" className="max-h-80 divide-y divide-line overflow-y-auto">
        {details.slice(0, SHOWN_MAX).map(({ field, problem }) => {
          const line = lines[Number(/\d+/.exec(field)?.[0] ?? 0) - 1]
          return (
            <li key={`${field} ${problem}`} className="py-2 text-sm">
              <span className="font-medium">{field}</span>: {problem}
              {line ? (
                <code className="block truncate font-mono text-ink-2" dir="auto">
                  {line}
                </code>
              ) : null}
            </li>
          )
        })}
      </ul>
      {details.length > SHOWN_MAX ? (
        <p className="text-sm text-ink-2">And {plural(details.length - SHOWN_MAX, 'more row')}.</p>
      ) : null}
    </>
  )
}
