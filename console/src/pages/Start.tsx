// Start: five steps from nothing to a delivered and answered text, each one real API request, checked off by what
// happened.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleDot, TriangleAlert } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { accountQuery } from '../api/queries'
import { useSession } from '../api/session'
import { floorMoney, formatPhone } from '../lib/format'
import { formatDuration } from '../lib/format-time'
import { FIRST_PHONE } from '../lib/sandbox'
import { setStartDone } from '../lib/start-done'
import { Badge } from '../ui/display/Badge'
import { PhoneScreen } from '../ui/display/Phone'
import { brandState, campaignState } from '../ui/display/states'
import { ErrorNotice } from '../ui/feedback/Notice'
import { Button } from '../ui/inputs/Button'
import { Empty, Page, Skeleton } from '../ui/layout/Page'
import { doAll } from './start/do-all'
import { isReturned, type Progress, useProgress } from './start/progress'
import { BrandStep, CampaignStep, MessageStep, NumberStep, ReplyStep } from './start/steps'

// First-time visitors do not see it yet.
const AfterAll = lazy(async () => ({ default: (await import('./start/AfterAll')).AfterAll }))

export function Start() {
  const { mode } = useSession()
  if (mode === 'sandbox') return <FirstRun />
  return (
    <Page title="Start">
      <Empty title="These steps are available only in the sandbox">
        In production, people review brands and campaigns. The API reference shows each request.
      </Empty>
    </Page>
  )
}

function FirstRun() {
  const progress = useProgress()
  const { data: account } = useQuery(accountQuery)
  const { isKnown, error, done, number } = progress
  const isOver = done === STEPS.length
  const all = useDoAll(progress)
  const accountId = account?.account.id ?? ''
  useEffect(() => {
    if (isOver && accountId) setStartDone(accountId)
  }, [isOver, accountId])
  return (
    <Page
      title={isOver ? 'Delivered and answered' : 'Send your first text'}
      actions={
        account ? (
          <span className="text-ink-2">
            Balance{' '}
            <span className="font-semibold text-ink">{floorMoney(account.account.balance)}</span>
          </span>
        ) : null
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="text-ink-2">
          {isOver
            ? 'All five steps are done. What’s next?'
            : 'Five steps, about a minute, about $21 of sandbox money.'}
        </p>
        {isKnown && !isOver && !isReturned(progress) ? (
          <Button onClick={all.run} busy={all.isRunning && 'Running…'}>
            Run all five steps
          </Button>
        ) : null}
      </div>
      {all.error ? (
        <div className="mb-4">
          <ErrorNotice error={all.error} isAnswer hint="Completed steps stay completed." />
        </div>
      ) : null}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_auto]">
        <div>
          {error ? <ErrorNotice error={error} /> : null}
          {isKnown ? (
            <Steps progress={progress} isBusy={all.isRunning} />
          ) : (
            <Skeleton rows={5} height={56} />
          )}
        </div>
        <div className="mx-auto w-75">
          <PhoneScreen phone={FIRST_PHONE} ourNumbers={number ? [number.phoneNumber] : []} />
        </div>
      </div>
      <Suspense>{isOver ? <AfterAll {...progress} /> : null}</Suspense>
    </Page>
  )
}

function useDoAll(progress: Progress) {
  const client = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const controller = useRef<AbortController | null>(null)
  const run = () => {
    controller.current = new AbortController()
    setRunning(true)
    setError(null)
    doAll(client, progress, controller.current.signal)
      .catch(setError)
      .finally(() => setRunning(false))
  }
  return { run, isRunning, error }
}

interface Step {
  title: string
  /** What the step is about, before it starts. */
  hint: string
  result: (progress: Progress) => ReactNode
  form: (progress: Progress) => ReactNode
}

const STEPS: readonly Step[] = [
  {
    title: 'Brand',
    hint: 'The company that sends',
    result: ({ brand }) =>
      brand && (
        <>
          {brand.entityName} <Badge state={brandState(brand)} />
        </>
      ),
    form: (progress) => <BrandStep {...progress} />,
  },
  {
    title: 'Campaign',
    hint: 'Who you text and why',
    result: ({ campaign }) =>
      campaign && (
        <>
          {campaign.displayName} <Badge state={campaignState(campaign)} />
        </>
      ),
    form: (progress) => <CampaignStep {...progress} />,
  },
  {
    title: 'Number',
    hint: 'Choose one in your area code',
    result: ({ number }) => number && formatPhone(number.phoneNumber),
    form: (progress) => <NumberStep {...progress} />,
  },
  {
    title: 'Message',
    hint: 'Send a text to the phone',
    result: ({ sent }) => sent && `Delivered in ${describeElapsed(sent)}`,
    form: (progress) => <MessageStep {...progress} />,
  },
  {
    title: 'Reply',
    hint: 'Reply from the phone',
    result: ({ reply }) => reply && <q className="wrap-anywhere">{reply.body}</q>,
    form: () => <ReplyStep />,
  },
]

function describeElapsed({
  createdAt,
  updatedAt,
}: {
  createdAt: string
  updatedAt: string | null
}) {
  const ms = Date.parse(updatedAt ?? createdAt) - Date.parse(createdAt)
  return formatDuration(ms / 1000)
}

function Steps({ progress, isBusy }: { progress: Progress; isBusy: boolean }) {
  return (
    <ol className="flex flex-col gap-2">
      {STEPS.map((step, i) => (
        <li key={step.title} className="rounded-lg border border-line bg-surface px-4 py-3">
          <StepHead step={step} place={i} progress={progress} />
          {i === progress.done ? (
            <div className="mt-3 sm:pl-8">
              {isBusy ? <p className="text-ink-2">Working on it…</p> : step.form(progress)}
            </div>
          ) : null}
        </li>
      ))}
    </ol>
  )
}

function StepHead({ step, place, progress }: { step: Step; place: number; progress: Progress }) {
  const isDone = place < progress.done
  const isOpen = place === progress.done
  const isBack = isOpen && isReturned(progress)
  const Icon = isDone ? CircleCheck : isBack ? TriangleAlert : isOpen ? CircleDot : CircleDashed
  const tone = isDone
    ? 'text-ok-ink'
    : isBack
      ? 'text-warn-ink'
      : isOpen
        ? 'text-accent-ink'
        : 'text-ink-3'
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Icon size={20} aria-hidden="true" className={tone} />
      <h2 className="min-w-24 font-semibold">
        {place + 1} {step.title}
        <span className="sr-only">{isDone ? ', done' : isOpen ? ', next' : ''}</span>
      </h2>
      <span className={isDone ? 'min-w-0 wrap-anywhere' : 'text-ink-2'}>
        {isDone ? step.result(progress) : step.hint}
      </span>
    </div>
  )
}
