// The call behind a page or a form, as one would make it oneself: the console does nothing that your code
// cannot do.

import { CodeXml } from 'lucide-react'
import { useState } from 'react'
import { type ApiCall, curlOf, typeScriptOf } from '../lib/api-call'
import { Button } from './Button'
import { CodeBlock } from './CodeBlock'
import { Dialog } from './Dialog'
import { Tabs } from './Tabs'

const KINDS = [
  { name: 'curl', write: curlOf },
  { name: 'TypeScript', write: typeScriptOf },
]

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
        <Dialog title="The same by the API" onClose={() => setOpen(false)} isWide>
          <Tabs
            label="Language"
            tabs={KINDS.map(({ name, write }) => ({
              name,
              content: <CodeBlock text={write(call, location.origin)} label={`the ${name} call`} />,
            }))}
          />
          <p className="text-sm text-ink-2">
            LONGCODE_TOKEN is an access token of yours: Settings, Tokens. All calls are in the{' '}
            <a href="/docs" className="text-accent-ink underline">
              API reference
            </a>
            .
          </p>
        </Dialog>
      ) : null}
    </>
  )
}
