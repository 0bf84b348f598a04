// One carrier link: its status, connections, window and rate, its last minutes, and the carrier's recent error
// codes.

import type {
  CarrierLink,
  CarrierLinkError,
  CarrierLinkProcess,
} from '../../../../generated/types.gen'
import { describeError } from '../../../lib/describe-error'
import { formatCount, plural } from '../../../lib/format'
import { Badge } from '../../../ui/display/Badge'
import { Meter } from '../../../ui/display/Meter'
import { linkState } from '../../../ui/display/operator-states'
import { Time } from '../../../ui/display/Time'
import { Notice } from '../../../ui/feedback/Notice'
import { Card } from '../../../ui/layout/Page'
import { PauseButton, PauseNotice } from './LinkPause'

export function LinkCard({ link }: { link: CarrierLink }) {
  const { detail, state, processes, errors } = link
  return (
    <Card>
      <Head link={link} />
      <PauseNotice pause={link.pause} />
      {detail ? (
        <div className="mb-3">
          <Notice tone={state === 'up' || state === 'paused' ? 'warn' : 'bad'} title={detail} />
        </div>
      ) : null}
      {processes.map((one) => (
        <Process key={one.process} of={one} isNamed={processes.length > 1} />
      ))}
      <Figures link={link} />
      {errors.length > 0 ? <Errors link={link.link} errors={errors} /> : null}
    </Card>
  )
}

function Head({ link }: { link: CarrierLink }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <h2 className="min-w-0 text-lg font-semibold wrap-anywhere" dir="auto">
        {link.link}
      </h2>
      <Badge state={linkState(link)} />
      <span className="text-sm text-ink-2">
        {link.kind} · since <Time at={link.since} form="since" />
      </span>
      <span className="ml-auto">
        <PauseButton link={link} />
      </span>
    </div>
  )
}

interface ProcessProps {
  of: CarrierLinkProcess
  /** If several processes have the link. */
  isNamed: boolean
}

function Process({ of, isNamed }: ProcessProps) {
  const { process, connections, window, rate } = of
  const isPlain = connections.length === 0 && !window && !rate
  if (isPlain && !isNamed) return null
  return (
    <div className="mb-3 border-b border-line pb-3">
      {isNamed ? (
        <p className="mb-2 flex flex-wrap items-center gap-2 text-sm text-ink-2">
          <Badge state={linkState({ state: of.isUp ? 'up' : 'down', kind: '' })} />
          <span className="font-mono wrap-anywhere">{process}</span>
        </p>
      ) : null}
      <div className="grid grid-cols-1 items-start gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
        {connections.length > 0 ? <Connections of={of} /> : null}
        {window ? (
          <Meter
            label="Window"
            value={window.used}
            max={window.size}
            text={`${formatCount(window.used)} / ${formatCount(window.size)}`}
            spoken={`${window.used} of ${window.size} messages awaiting a response`}
            help="Submitted messages without a response."
          />
        ) : null}
        {rate ? <Rate rate={rate} /> : null}
      </div>
    </div>
  )
}

/** A link runs below its contract rate after the carrier throttled it. */
function Rate({ rate }: { rate: { perSecond: number; contract: number } }) {
  const { perSecond, contract } = rate
  const now = Math.round(perSecond)
  return (
    <div>
      <p className="flex justify-between gap-3">
        <span className="font-medium">Rate</span>
        <span>
          {formatCount(now)} / {formatCount(contract)} per second
        </span>
      </p>
      <p className="mt-1 text-sm text-ink-2">
        {now < contract
          ? 'Throttled: the carrier asked us to slow down.'
          : 'Sending at the full contract rate.'}
      </p>
    </div>
  )
}

function Connections({ of: { connections } }: { of: CarrierLinkProcess }) {
  const bound = connections.filter(({ state }) => state === 'bound').length
  return (
    <div>
      <p className="flex justify-between gap-3">
        <span className="font-medium">Binds</span>
        <span>
          {bound} of {connections.length}
        </span>
      </p>
      <ul className="mt-1 text-sm text-ink-2">
        {connections.map(({ name, state, since, peer }) => (
          <li key={name} className="wrap-anywhere">
            {name}: {state} since <Time at={since} form="since" /> ·{' '}
            <span className="font-mono">{peer}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Figures({ link }: { link: CarrierLink }) {
  const { answers, receipts, inbound, minutes } = link.counts
  const came = Object.values(receipts).reduce((all, one) => all + one, 0)
  const figures: [string, number][] = [
    ['Sent', answers.sent],
    ['Requeued', answers.slow_down + answers.down],
    ['Failed', answers.failed],
    ['Unknown', answers.unknown],
    ['Receipts', came],
    ['Inbound', inbound],
  ]
  if (link.waiting !== null) figures.push(['Queued', link.waiting])
  return (
    <>
      <p className="mb-1 text-sm text-ink-2">Last {minutes} minutes</p>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-1 sm:grid-cols-4 lg:grid-cols-7">
        {figures.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-2 lg:block">
            <dt className="text-sm text-ink-2">{name}</dt>
            <dd className={name === 'Unknown' && value > 0 ? 'font-medium text-bad-ink' : ''}>
              {formatCount(value)}
            </dd>
          </div>
        ))}
      </dl>
      {answers.unknown > 0 ? (
        <p className="mt-2 text-sm text-ink-2">
          No response to {plural(answers.unknown, 'message')}. A receipt usually settles the
          outcome. Messages are not resent unless the link’s{' '}
          <code className="font-mono">unknown</code> setting allows it.
        </p>
      ) : null}
    </>
  )
}

interface ErrorsProps {
  link: string
  errors: readonly CarrierLinkError[]
}

function Errors({ link, errors }: ErrorsProps) {
  return (
    <div className="mt-3 border-t border-line pt-3">
      <h3 className="mb-1 font-medium">Recent errors</h3>
      <ul aria-label={`Recent errors on ${link}`} className="divide-y divide-line text-sm">
        {errors.map(({ of, errorCode, carrierCode, count, lastAt }) => (
          <li
            key={`${of} ${errorCode} ${carrierCode}`}
            className="flex flex-wrap items-baseline gap-x-3 py-1"
          >
            <span className="w-16 shrink-0 font-medium">{errorCode ?? 'Unknown'}</span>
            <span className="min-w-0 flex-1 basis-40 wrap-anywhere" dir="auto">
              {describeError(errorCode ?? 0)?.name ?? 'unknown error'}
              <span className="text-ink-2">
                {' '}
                ·{' '}
                {carrierCode ? <span className="font-mono">{carrierCode}</span> : 'no carrier code'}{' '}
                · {of === 'receipt' ? 'delivery receipt' : 'submit response'}
              </span>
            </span>
            <span className="text-ink-2">
              {plural(count, 'time')} · <Time at={lastAt} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
