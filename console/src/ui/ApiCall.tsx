// The call behind a page or a form, as one would make it oneself: the console does nothing that your code
// cannot do.

import { CodeXml } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ApiCall } from '../lib/api-call'
import { Button } from './Button'

const ApiCallDialog = lazy(() => import('./ApiCallDialog'))

export function ApiCallButton({ call }: { call: ApiCall }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        look="quiet"
        onClick={() => setOpen(true)}
        aria-label="Show as API call"
        title="Show as API call"
      >
        <CodeXml size={16} aria-hidden="true" />
      </Button>
      {isOpen ? (
        <Suspense>
          <ApiCallDialog call={call} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
