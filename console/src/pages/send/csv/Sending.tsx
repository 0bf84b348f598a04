// The progress of a batch: what it waits for, why it stopped and how to continue, and the
// result.

import { useEffect, useState } from 'react'
import { downloadFile } from '../../../lib/csv-file'
import { formatCount, formatMoney, plural } from '../../../lib/format'
import { useServiceNow } from '../../../lib/service-time'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { Time } from '../../../ui/display/Time'
import { ErrorNotice, Notice } from '../../../ui/feedback/Notice'
import { Progress } from '../../../ui/feedback/Progress'
import { Button, ButtonLink } from '../../../ui/inputs/Button'
import { Unpaid } from '../SendFailure'
import { closeFile, pauseBatch, resultFile, startBatch, useBatch } from './batch'
import { isForgotten, isWhole } from './remembered'
import type { BatchState, Rest } from './state'

export function Sending({ blocked }: { blocked: string | null }) {
  const batch = useBatch()
  const { run, plan, tally, name } = batch
  if (!plan) return null
  const isBegun = run.kind !== 'idle'
  const download = async () =>
    downloadFile(`${name.replace(/\.\w+$/, '')}-results.csv`, await resultFile())
  return (
    <div className="flex flex-col gap-3">
      {isBegun ? (
        <Progress
          label="Sending"
          value={tally.finished}
          max={plan.sendable}
          text={`${formatCount(tally.finished)} of ${formatCount(plan.sendable)}`}
        />
      ) : null}
      <Before batch={batch} />
      <Wait batch={batch} />
      <End batch={batch} />
      <div className="flex flex-wrap items-center gap-2">
        <MainButton batch={batch} blocked={blocked} />
        {isBegun ? <Button onClick={() => void download()}>Download results</Button> : null}
        {run.kind === 'done' ? <Button onClick={closeFile}>Send another file</Button> : null}
        <ApiRequestButton request={callOf(batch)} />
      </div>
      {isBegun ? null : (
        <p className="text-sm text-ink-2">
          Messages are sent in requests of up to 1,000. If you close this page, choose the same file
          again to continue: at any time in this browser, or within 24 hours in another. Nothing is
          sent twice.
        </p>
      )}
    </div>
  )
}

/** The request of a block, with its first message. */
function callOf({ plan, choices }: BatchState) {
  const first = plan!.samples.filter(({ problem }) => problem === null).slice(0, 2)
  const messages = first.map(({ to, body }) => ({ campaign: choices!.campaign, to, body }))
  return { method: 'POST', path: '/v1/message/batch', body: { messages } } as const
}

function MainButton({ batch, blocked }: { batch: BatchState; blocked: string | null }) {
  const { run, plan, count, before, rest } = batch
  useServiceNow() // idempotency keys expire by its clock
  if (run.kind === 'running') return <Button onClick={pauseBatch}>Pause</Button>
  if (run.kind === 'done') {
    return (
      <ButtonLink look="filled" to="/messages">
        View messages
      </ButtonLink>
    )
  }
  const isOver = before !== null && isForgotten(before) && isWhole(before)
  const nothing = plan!.sendable === 0 ? 'No rows can be sent' : null
  const isLater =
    run.kind !== 'idle' || (before !== null && (before.blocksDone > 0 || before.accepted > 0))
  const price = count?.isWhole ? ` · ${formatMoney(count.price)}` : ''
  return (
    <Button
      look="filled"
      onClick={() => void startBatch()}
      blocked={
        blocked ??
        nothing ??
        (isOver ? 'This file was already sent' : null) ??
        (isLater && !rest && !count?.error ? 'Counting what is left…' : null)
      }
    >
      {isLater
        ? describeRest(rest)
        : `Send ${plural(count?.isWhole ? count.messages : plan!.sendable, 'message')}${price}`}
    </Button>
  )
}

/** On the button: what it sends and costs, except where it only collects results. */
function describeRest(rest: Rest | null): string {
  if (!rest || rest.messages === 0) return 'Continue'
  return `Continue with ${plural(rest.messages, 'message')} · ${formatMoney(rest.price)}`
}

function describeLeft(rest: Rest | null): string {
  if (!rest) return 'Continue sends the rest.'
  const size = `${plural(rest.messages, 'message')}, ${plural(rest.segments, 'segment')}, ${formatMoney(rest.price)}`
  return `Still to send: ${size}.`
}

/** This browser has sent the file before: what was sent then, and what would be sent now. */
function Before({ batch: { before, run, rest } }: { batch: BatchState }) {
  useServiceNow()
  if (!before || run.kind !== 'idle') return null
  return (
    <Notice
      tone="go"
      title={isWhole(before) ? 'This file was already sent.' : 'This file was only partly sent.'}
    >
      {plural(before.accepted, 'message')} accepted, started{' '}
      <Time at={before.firstAt} form="when" />.{' '}
      {isWhole(before)
        ? isForgotten(before)
          ? 'Nothing is left to send. To send it again, change the text or the file.'
          : 'Continue doesn’t resend anything. It only collects results for the result file.'
        : `${describeLeft(rest)} Nothing is sent twice.`}
    </Notice>
  )
}

function Wait({ batch: { wait } }: { batch: BatchState }) {
  const [now, setNow] = useState(Date.now)
  const until = wait?.until ?? null
  useEffect(() => {
    if (until === null) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [until])
  if (!wait) return null
  const left = Math.max(0, Math.ceil((wait.until - now) / 1_000))
  return (
    <ErrorNotice
      error={wait.error}
      hint={`Retrying in ${plural(left, 'second')} with the same idempotency key. Nothing is sent twice.`}
    />
  )
}

function End({ batch: { run, plan, tally, rest } }: { batch: BatchState }) {
  const sent = `${formatCount(tally.accepted)} of ${plural(plan!.sendable, 'message')} accepted`
  switch (run.kind) {
    case 'done':
      return (
        <Notice tone="go" title={`${sent}.`} isAnswer>
          {tally.refused > 0 ? `${formatCount(tally.refused)} refused. ` : ''}
          The result file lists every row with its ID or error.
        </Notice>
      )
    case 'paused':
      return (
        <Notice tone="warn" title="Paused" isAnswer>
          {sent}. {describeLeft(rest)} Nothing is sent twice.
        </Notice>
      )
    case 'held':
      return (
        <ErrorNotice
          isAnswer
          error={new Error(run.result.error ?? 'Refused')}
          hint={
            <>
              {sent}. The others were not sent or charged. {describeLeft(rest)}{' '}
              {run.result.code === 'balance_insufficient' ? (
                <Unpaid price={rest?.price ?? null} />
              ) : null}
            </>
          }
        />
      )
    case 'failed':
      return (
        <ErrorNotice
          isAnswer
          error={run.error}
          hint={`${sent}. ${describeLeft(rest)} Nothing is sent twice.`}
        />
      )
    default:
      return null
  }
}
