// What would be sent: the first rows, every row that cannot be sent with its line and reason, and the total as
// counted by the service.

import type { Plan, Problem, Sample } from '../../../lib/batch/file'
import { formatCount, formatMoney, formatPhone, plural } from '../../../lib/format'
import { type Column, DataTable } from '../../../ui/display/DataTable'
import { Progress } from '../../../ui/feedback/Progress'
import { Button } from '../../../ui/inputs/Button'
import { recount } from './batch'
import type { Count } from './state'

export function Check({ plan, count }: { plan: Plan; count: Count | null }) {
  const problems = [...plan.problems, ...(count?.refused ?? [])]
  const problemCount = plan.problemCount + (count?.refused.length ?? 0)
  return (
    <div className="flex flex-col gap-4">
      {plan.repeated > 0 ? (
        <p className="text-sm text-ink-2">
          {plural(plan.repeated, 'row repeats', 'rows repeat')} a number from earlier in the file.
          Repeats are also sent.
        </p>
      ) : null}
      {problemCount > 0 ? <Problems problems={problems} count={problemCount} /> : null}
      <section>
        <h3 className="mb-2 font-semibold">
          {plan.rows > plan.samples.length
            ? `First ${plan.samples.length} of ${formatCount(plan.rows)} rows`
            : 'Rows'}
        </h3>
        <div className="overflow-clip rounded-md border border-line">
          <DataTable
            label="First rows"
            rows={plan.samples}
            rowKey={({ line }) => String(line)}
            columns={SAMPLE_COLUMNS}
            short={(sample) => <ShortSample sample={sample} />}
          />
        </div>
      </section>
    </div>
  )
}

interface SumProps {
  plan: Plan
  count: Count | null
  /** Part of the file was sent before, so the sum is not what is left. */
  isResumed: boolean
}

export function Sum({ plan, count, isResumed }: SumProps) {
  const { sendable } = plan
  const problemCount = plan.problemCount + (count?.refused.length ?? 0)
  const broken = problemCount > 0 ? `. ${plural(problemCount, 'row')} can’t be sent` : ''
  if (count?.isWhole) {
    return (
      <p role="status" className="text-lg font-semibold">
        {isResumed ? 'Whole file: ' : ''}
        {plural(count.messages, 'message')}, {plural(count.segments, 'segment')},{' '}
        {formatMoney(count.price)}
        {broken}
      </p>
    )
  }
  const done = (count?.messages ?? 0) + (count?.refused.length ?? 0)
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="text-lg font-semibold">
        {plural(sendable, 'message')}
        {broken}
      </p>
      {count?.error ? (
        <p className="flex flex-wrap items-center gap-2 text-ink-2">
          Couldn’t count segments: {(count.error as Error).message} You can still send.
          <Button onClick={recount}>Count again</Button>
        </p>
      ) : (
        <Progress
          label="Counting segments"
          value={done}
          max={sendable}
          text={`${formatCount(done)} of ${formatCount(sendable)}`}
        />
      )}
    </div>
  )
}

const PROBLEM_COLUMNS: readonly Column<Problem>[] = [
  {
    name: 'line',
    head: 'Line',
    align: 'right',
    className: 'w-24',
    cell: ({ line }) => formatCount(line),
  },
  { name: 'problem', head: 'Problem', isText: true, cell: ({ problem }) => problem },
]

function Problems({ problems, count }: { problems: readonly Problem[]; count: number }) {
  return (
    <section>
      <h3 className="mb-2 font-semibold">
        {plural(count, 'row')} that can’t be sent
        {count > problems.length ? ` (first ${formatCount(problems.length)})` : ''}
      </h3>
      <div className="overflow-clip rounded-md border border-line">
        <DataTable
          label="Rows that can’t be sent"
          rows={problems}
          rowKey={({ line }) => String(line)}
          columns={PROBLEM_COLUMNS}
          short={({ line, problem }) => (
            <>
              <span className="text-sm text-ink-2">Line {formatCount(line)}</span>
              <span className="truncate">{problem}</span>
            </>
          )}
        />
      </div>
    </section>
  )
}

const SAMPLE_COLUMNS: readonly Column<Sample>[] = [
  {
    name: 'line',
    head: 'Line',
    align: 'right',
    className: 'w-16',
    cell: ({ line }) => formatCount(line),
  },
  { name: 'to', head: 'To', className: 'w-40', isText: true, cell: ({ to }) => formatPhone(to) },
  {
    name: 'body',
    head: 'Text',
    isText: true,
    cell: ({ body, problem }) =>
      problem ? <span className="text-bad-ink">{problem}</span> : <span title={body}>{body}</span>,
  },
]

function ShortSample({ sample: { to, body, problem, line } }: { sample: Sample }) {
  return (
    <>
      <span className="flex gap-2">
        <span className="truncate font-medium">{formatPhone(to)}</span>
        <span className="ml-auto shrink-0 text-sm text-ink-2">Line {line}</span>
      </span>
      <span dir="auto" className={`truncate ${problem ? 'text-bad-ink' : 'text-ink-2'}`}>
        {problem ?? body}
      </span>
    </>
  )
}
