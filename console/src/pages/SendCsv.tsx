// Messages from a CSV file: read in the browser, checked row by row, priced by the service, and sent in requests
// that never send a row twice.

import { useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session'
import { type Choices, guessMapping } from '../lib/batch/plan'
import { formatCount, plural } from '../lib/format'
import { Notice } from '../ui/feedback/Notice'
import { Card, Skeleton } from '../ui/layout/Page'
import { planBatch, useBatch } from './send/csv/batch'
import { Check, Sum } from './send/csv/Check'
import { Columns } from './send/csv/Columns'
import { ChooseFile, DropZone } from './send/csv/DropZone'
import { Sending } from './send/csv/Sending'
import type { BatchState } from './send/csv/state'
import { CampaignChoice, chosenOf, type Sendable, SendFrame } from './send/SendFrame'

export function SendCsv() {
  const batch = useBatch()
  useWarning(batch.run.kind === 'running')
  return <SendFrame>{(sendable) => <Stage batch={batch} sendable={sendable} />}</SendFrame>
}

function Stage({ batch, sendable }: { batch: BatchState; sendable: Sendable }) {
  switch (batch.stage) {
    case 'empty':
      return <DropZone />
    case 'reading':
      return (
        <Card title={<span className="wrap-anywhere">{batch.name}</span>}>
          <p role="status">Reading… {plural(batch.rowsRead, 'row')}</p>
        </Card>
      )
    case 'refused':
      return (
        <div className="flex flex-col gap-4">
          <Notice tone="bad" title={batch.reason} isAnswer>
            <span className="wrap-anywhere">{batch.name}</span>
          </Notice>
          <DropZone />
        </div>
      )
    case 'open':
      return <Opened key={batch.facts!.hash} batch={batch} sendable={sendable} />
  }
}

const SETTLE_MS = 300

function Opened({ batch, sendable }: { batch: BatchState; sendable: Sendable }) {
  const { account } = useSession()
  const { header, rows } = batch.facts!
  const [choices, setChoices] = useState<Choices>(
    () => batch.choices ?? firstChoices(header, sendable),
  )
  const set = (change: Partial<Choices>) => setChoices({ ...choices, ...change })
  const isRunning = batch.run.kind === 'running'
  const campaign = chosenOf(sendable, choices.campaign)
  const accountId = account?.accountId ?? ''
  useEffect(() => {
    if (batch.choices === choices) return
    const timer = setTimeout(() => void planBatch(choices, accountId), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [choices, accountId, batch.choices])
  const isStale = batch.choices !== choices || batch.isPlanning
  const sample = useFirstText(batch)
  const hasNumber = sendable.numbersOf(campaign.id).length > 0
  const noNumber = hasNumber ? null : 'This campaign has no numbers'
  return (
    <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <Card title="Content" className="lg:order-last">
        <fieldset disabled={isRunning} className="flex flex-col gap-4">
          <CampaignChoice
            isNarrow
            sendable={sendable}
            campaign={campaign}
            from={choices.from}
            errorOf={() => null}
            onChoose={set}
          />
          <Columns header={header} choices={choices} set={set} sample={sample} />
        </fieldset>
      </Card>
      <Card>
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="min-w-0 flex-1 text-lg font-semibold wrap-anywhere max-sm:basis-full">
              {batch.name}
            </h2>
            <span className="text-ink-2">{formatCount(rows)} rows</span>
            {isRunning ? null : <ChooseFile look="plain" label="Choose another" />}
          </div>
          {batch.problem ? <Notice tone="warn" title={batch.problem} /> : null}
          {batch.plan ? (
            <div className={`flex flex-col gap-4 ${isStale ? 'opacity-50' : ''}`}>
              <Sum
                plan={batch.plan}
                count={batch.count}
                isResumed={(batch.before?.accepted ?? 0) > 0 || batch.tally.accepted > 0}
              />
              <Sending blocked={isStale ? 'Checking rows…' : noNumber} />
              <Check plan={batch.plan} count={batch.count} />
            </div>
          ) : batch.problem ? null : (
            <Skeleton rows={6} />
          )}
        </div>
      </Card>
    </div>
  )
}

/** The text of the first valid row. The previous one stays while rows are checked again. */
function useFirstText({ plan }: BatchState): string {
  const last = useRef('')
  const found = plan?.samples.find(({ problem }) => problem === null)
  if (plan) last.current = found?.body ?? ''
  return last.current
}

function firstChoices(header: readonly string[], sendable: Sendable): Choices {
  const mapping = guessMapping(header)
  return {
    campaign: chosenOf(sendable, '').id,
    from: '',
    mapping,
    template: mapping.body === null ? '' : null,
  }
}

/** Closing the page while sending loses nothing but stops it. */
function useWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isOn])
}
