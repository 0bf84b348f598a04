// The carrier links, or how to set up the first one.

import { useQuery } from '@tanstack/react-query'
import type { CarrierReload, OperatorListCarriersReply } from '../../../../generated/types.gen'
import { carriersQuery } from '../../../api/operator-queries'
import { request } from '../../../api/request'
import { plural } from '../../../lib/format'
import { useAct } from '../../../lib/use-act'
import { CodeBlock } from '../../../ui/display/CodeBlock'
import { ErrorNotice, Notice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Card, Empty, Skeleton } from '../../../ui/layout/Page'
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
        <Notice tone="warn" title={`${plural(data.unsettled, 'message')} with an unknown outcome`}>
          A receipt or a late response settles each one. Otherwise, the link’s{' '}
          <code className="font-mono">unknown</code> setting decides whether it is refunded or sent
          again.
        </Notice>
      ) : null}
      {data.links.map((link) => (
        <LinkCard key={link.link} link={link} />
      ))}
    </>
  )
}

/** A problem with the file stays visible until it is fixed. */
function NotReloaded({ processes }: Pick<OperatorListCarriersReply, 'processes'>) {
  const errors = new Set(processes.flatMap(({ reloadError }) => reloadError ?? []))
  return [...errors].map((error) => (
    <Notice
      key={error}
      tone="warn"
      title="The carriers file was not loaded. The previous version is active."
    >
      {error}
    </Notice>
  ))
}

function NoLinks({ isSetUp }: { isSetUp: boolean }) {
  if (isSetUp) {
    return (
      <Card>
        <Empty title="No dispatcher is running">
          No process with the dispatch role has reported in the last 30 seconds. Start one, or check
          its log.
        </Empty>
      </Card>
    )
  }
  return (
    <Card>
      <Empty
        title="No carrier link. Sends are refused."
        actions={
          <div className="w-full max-w-120 text-left">
            <CodeBlock text={FIRST_STEPS} label="commands" />
          </div>
        }
      >
        Links are defined in one file. docs/carriers.md covers every step from an aggregator
        contract to the first delivered message. For Telnyx, Bandwidth, or Twilio, use Add carrier.
        For an aggregator, start with:
      </Empty>
    </Card>
  )
}

/** Reloads the carriers file in every process and shows the result. */
export function ReloadButton() {
  const { data } = useQuery(carriersQuery)
  const reload = useAct((key) => request('POST /operator/v1/carrier/reload', { key }), {
    onDone: ({ processes }) => toast(describeOutcome(processes)),
  })
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
  if (!failed) return 'Carriers file reloaded'
  return failed.error ?? 'Not every process has responded yet.'
}
