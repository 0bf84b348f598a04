// How far a batch has been sent: the bar, what keeps it waiting, why it stopped and how it goes on, and what
// came of it.

import { useEffect, useState } from 'react'
import { downloadFile } from '../../../lib/csv-file'
import { formatCount, formatMoney, plural } from '../../../lib/format'
import { useServiceNow } from '../../../lib/service-time'
import { ApiCallButton } from '../../../ui/ApiCall'
import { Button, ButtonLink } from '../../../ui/Button'
import { ErrorNotice, Notice } from '../../../ui/Notice'
import { Progress } from '../../../ui/Progress'
import { Time } from '../../../ui/Time'
import { Unpaid } from '../SendFailure'
import { closeFile, pauseBatch, resultFile, startBatch, useBatch } from './batch'
import { isForgotten, isWhole } from './remembered'
import type { BatchState } from './state'

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
          value={tally.known}
          max={plan.sendable}
          text={`${formatCount(tally.known)} of ${formatCount(plan.sendable)}`}
        />
      ) : null}
      <Before batch={batch} />
      <Wait batch={batch} />
      <End batch={batch} />
      <div className="flex flex-wrap items-center gap-2">
        <MainButton batch={batch} blocked={blocked} />
        {isBegun ? <Button onClick={() => void download()}>Download results</Button> : null}
        {run.kind === 'done' ? <Button onClick={closeFile}>Send another file</Button> : null}
        <ApiCallButton call={callOf(batch)} />
      </div>
      {isBegun ? null : (
        <p className="text-sm text-ink-2">
          Sent in blocks of up to 1,000. If this page is closed meanwhile, choose the same file
          again, within a day or in this browser: it goes on where it stopped, and nothing is sent
          twice.
        </p>
      )}
    </div>
  )
}

/** The call of a block, with the first of its messages. */
function callOf({ plan, choices }: BatchState) {
  const first = plan!.samples.filter(({ problem }) => problem === null).slice(0, 2)
  const messages = first.map(({ to, body }) => ({ campaign: choices!.campaign, to, body }))
  return { method: 'POST', path: '/v1/message/batch', body: { messages } } as const
}

function MainButton({ batch, blocked }: { batch: BatchState; blocked: string | null }) {
  const { run, plan, count, before } = batch
  useServiceNow() // by its clock the keys are forgotten
  if (run.kind === 'running') return <Button onClick={pauseBatch}>Pause</Button>
  if (run.kind === 'done') {
    return (
      <ButtonLink look="filled" to="/messages">
        See the messages
      </ButtonLink>
    )
  }
  const isOver = before !== null && isForgotten(before) && isWhole(before)
  const nothing = plan!.sendable === 0 ? 'No row can be sent' : null
  const isLater = run.kind !== 'idle' || (before !== null && before.blocksDone > 0)
  const price = count?.isWhole && !isLater ? ` · ${formatMoney(count.price)}` : ''
  return (
    <Button
      look="filled"
      onClick={() => void startBatch()}
      blocked={blocked ?? nothing ?? (isOver ? 'All of it was sent before' : null)}
    >
      {isLater
        ? 'Go on'
        : `Send ${plural(count?.isWhole ? count.messages : plan!.sendable, 'message')}${price}`}
    </Button>
  )
}

/** This browser knows the file: what went out then, and what will now. */
function Before({ batch: { before, run } }: { batch: BatchState }) {
  useServiceNow()
  if (!before || run.kind !== 'idle') return null
  return (
    <Notice
      tone="go"
      title={isWhole(before) ? 'This file has been sent.' : 'This file was begun and not finished.'}
    >
      {plural(before.accepted, 'message')} accepted, begun <Time at={before.firstAt} />.{' '}
      {isWhole(before)
        ? isForgotten(before)
          ? 'Nothing is left to send. To send it again, change the text or the file.'
          : 'Going on sends nothing again; it reads the answers for the result file.'
        : 'Going on sends the rest, and nothing twice.'}
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
      hint={`Trying again in ${left} s with the same key: nothing is sent twice.`}
    />
  )
}

function End({ batch: { run, plan, tally, count } }: { batch: BatchState }) {
  const sent = `${formatCount(tally.accepted)} of ${plural(plan!.sendable, 'message')} accepted`
  switch (run.kind) {
    case 'done':
      return (
        <Notice tone="go" title={`${sent}.`} isAnswer>
          {tally.refused > 0 ? `${plural(tally.refused, 'was', 'were')} refused. ` : ''}
          The result file has every row with its id or its reason.
        </Notice>
      )
    case 'paused':
      return (
        <Notice tone="warn" title="Paused." isAnswer>
          {sent}. Going on sends the rest, and nothing twice.
        </Notice>
      )
    case 'held':
      return (
        <ErrorNotice
          isAnswer
          error={new Error(run.result.error ?? 'Refused')}
          hint={
            <>
              {sent}; the others were not sent and cost nothing. They go out when you go on.{' '}
              {run.result.code === 'balance_insufficient' ? (
                <Unpaid price={count?.isWhole ? count.price : null} />
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
          hint={`${sent}. Going on is safe: nothing is sent twice.`}
        />
      )
    default:
      return null
  }
}
