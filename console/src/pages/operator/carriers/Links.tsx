// The links by which messages go out, or how to set one up where there is none.

import { useQuery } from '@tanstack/react-query'
import type { CarrierReload, OperatorListCarriersReply } from '../../../../generated/types.gen'
import { carriersQuery, operate } from '../../../api/operator-queries'
import { plural } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { Button } from '../../../ui/Button'
import { CodeBlock } from '../../../ui/CodeBlock'
import { ErrorNotice, Notice } from '../../../ui/Notice'
import { Card, Empty, Skeleton } from '../../../ui/Page'
import { toast } from '../../../ui/Toast'
import { LinkCard } from './LinkCard'

const FIRST_STEPS = `cp carriers.example.yaml carriers.yaml
export LONGCODE_CARRIERS=carriers.yaml
longcode carrier check`

export function Links({ isSetUp }: { isSetUp: boolean }) {
  const { data, error, refetch } = useQuery(carriersQuery)
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={4} />
  if (data.links.length === 0) return <NoLinks isSetUp={isSetUp} />
  return (
    <>
      <NotReloaded processes={data.processes} />
      {data.unsettled > 0 ? (
        <Notice
          tone="warn"
          title={`${plural(data.unsettled, 'message')} left, and nobody knows yet what became of it.`}
        >
          A receipt or a late answer settles it; it is not sent again before that.
        </Notice>
      ) : null}
      {data.links.map((link) => (
        <LinkCard key={link.link} link={link} />
      ))}
    </>
  )
}

/** What is wrong with the file stays in sight until it is mended. */
function NotReloaded({ processes }: Pick<OperatorListCarriersReply, 'processes'>) {
  const errors = new Set(processes.flatMap(({ reloadError }) => reloadError ?? []))
  return [...errors].map((error) => (
    <Notice key={error} tone="warn" title="The file was not taken: the former one is in force.">
      {error}
    </Notice>
  ))
}

function NoLinks({ isSetUp }: { isSetUp: boolean }) {
  if (isSetUp) {
    return (
      <Card>
        <Empty title="Nobody dispatches.">
          No process with the role dispatch has said anything in the last 30 seconds: start one, or
          look into its log.
        </Empty>
      </Card>
    )
  }
  return (
    <Card>
      <Empty
        title="No carrier link is set up: sends are refused."
        actions={
          <div className="w-full max-w-120 text-left">
            <CodeBlock text={FIRST_STEPS} label="the first steps" />
          </div>
        }
      >
        Links stand in one file. docs/carriers.md goes from the contract with an aggregator to the
        first delivered message. An account at Telnyx, Bandwidth or Twilio is set up by Add a
        carrier; with an aggregator it begins so:
      </Empty>
    </Card>
  )
}

/** Reads the file of carriers again, in every process, and says what became of it. */
export function ReloadButton() {
  const { data } = useQuery(carriersQuery)
  const reload = useAct(
    (key) => operate<{ processes: CarrierReload[] }>('POST', '/carrier/reload', { key }),
    { onDone: ({ processes }) => toast(describeOutcome(processes)) },
  )
  const hasFile = data?.links.some(({ kind }) => kind !== 'simulator') ?? false
  if (!hasFile) return null
  return (
    <>
      {reload.error ? <ErrorNotice error={reload.error} isAnswer /> : null}
      <Button onClick={() => reload.run()} busy={reload.isBusy && 'Reloading…'}>
        Reload file
      </Button>
    </>
  )
}

function describeOutcome(processes: readonly CarrierReload[]): string {
  const failed = processes.find(({ outcome }) => outcome !== 'reloaded')
  if (!failed) return 'The file is in force.'
  return failed.error ?? 'Not every process has answered yet.'
}
