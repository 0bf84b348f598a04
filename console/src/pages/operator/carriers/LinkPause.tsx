// A paused link: why and since when, and pausing or resuming it.

import { useState } from 'react'
import type { CarrierLink } from '../../../../generated/types.gen'
import { request } from '../../../api/request'
import { useServiceNow } from '../../../lib/service-time'
import { useAct } from '../../../lib/use-act'
import { Time } from '../../../ui/display/Time'
import { ErrorNotice, Notice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { ReasonConfirm } from '../ReasonConfirm'

export function PauseButton({ link: { link, pause } }: { link: CarrierLink }) {
  const [isAsking, setIsAsking] = useState(false)
  const path = { link }
  const resume = useAct(
    (key) => request('POST /operator/v1/carrier/{link}/resume', { path, key }),
    { onDone: () => toast(`${link} resumed`) },
  )
  if (pause) {
    return (
      <>
        {resume.error ? <ErrorNotice error={resume.error} isAnswer /> : null}
        <Button onClick={() => resume.run()} busy={resume.isBusy && 'Resuming…'}>
          Resume
        </Button>
      </>
    )
  }
  return (
    <>
      <Button onClick={() => setIsAsking(true)}>Pause</Button>
      {isAsking ? (
        <ReasonConfirm
          title={`Pause ${link}?`}
          consequence="It sends no new messages. Messages use the route’s other links, or wait if there are none. Receipts and inbound messages still arrive."
          verb="Pause"
          act={(key, reason) =>
            request('POST /operator/v1/carrier/{link}/pause', { path, body: { reason }, key })
          }
          onDone={() => toast(`${link} paused`)}
          onClose={() => setIsAsking(false)}
        />
      ) : null}
    </>
  )
}

export function PauseNotice({ pause }: Pick<CarrierLink, 'pause'>) {
  const now = useServiceNow()
  if (!pause) return null
  const { nextProbeAt } = pause

  return (
    <div className="mb-3">
      <Notice tone={pause.isAutomatic ? 'bad' : 'warn'} title={pause.reason}>
        <p>
          Paused by {pause.by} <Time at={pause.since} form="when" />.{' '}
          {nextProbeAt ? (
            <>
              {new Date(nextProbeAt) > now ? (
                <>
                  Next probe, with one message: <Time at={nextProbeAt} />.
                </>
              ) : (
                'Longcode probes the link with the next message.'
              )}{' '}
              If the carrier accepts it, the link resumes automatically.
            </>
          ) : (
            'Messages use the route’s other links, or wait if there are none.'
          )}
        </p>
      </Notice>
    </div>
  )
}
