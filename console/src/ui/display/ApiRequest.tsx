// Shows the API request behind a page or a form, because the console does nothing that your code cannot
// do.

import { CodeXml } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { ApiRequest } from '../../lib/api-request'
import { Button } from '../inputs/Button'

const ApiRequestDialog = lazy(() => import('./ApiRequestDialog'))

export function ApiRequestButton({ request }: { request: ApiRequest }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        look="quiet"
        onClick={() => setOpen(true)}
        aria-label="Show API request"
        title="Show API request"
      >
        <CodeXml size={16} aria-hidden="true" />
      </Button>
      {isOpen ? (
        <Suspense>
          <ApiRequestDialog request={request} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
