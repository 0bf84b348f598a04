// The call behind a page or a form, written out for a shell and for a program.

import { type ApiCall, curlOf, typeScriptOf } from '../lib/api-call'
import { CodeBlock } from './CodeBlock'
import { Dialog } from './Dialog'
import { Tabs } from './Tabs'

const KINDS = [
  { name: 'curl', write: curlOf },
  { name: 'TypeScript', write: typeScriptOf },
]

export default function ApiCallDialog({ call, onClose }: { call: ApiCall; onClose: () => void }) {
  return (
    <Dialog title="The same by the API" onClose={onClose} isWide>
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
  )
}
