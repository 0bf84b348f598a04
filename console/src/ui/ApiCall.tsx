// The call behind a page or a form, as one would make it oneself: the console does nothing that your code
// cannot do.

import { Tabs } from '@base-ui/react/tabs'
import { CodeXml } from 'lucide-react'
import { useState } from 'react'
import { type ApiCall, curlOf, typeScriptOf } from '../lib/api-call'
import { Button } from './Button'
import { CodeBlock } from './CodeBlock'
import { Dialog } from './Dialog'

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
          <Tabs.Root defaultValue="curl" className="flex flex-col gap-2">
            <Tabs.List className="flex gap-1 border-b border-line">
              {KINDS.map(({ name }) => (
                <Tabs.Tab
                  key={name}
                  value={name}
                  className="-mb-px min-h-9 cursor-pointer border-b-2 border-transparent px-2 text-ink-2 data-active:border-accent data-active:font-medium data-active:text-ink pointer-coarse:min-h-11"
                >
                  {name}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {KINDS.map(({ name, write }) => (
              <Tabs.Panel key={name} value={name}>
                <CodeBlock text={write(call, location.origin)} label={`the ${name} call`} />
              </Tabs.Panel>
            ))}
          </Tabs.Root>
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
