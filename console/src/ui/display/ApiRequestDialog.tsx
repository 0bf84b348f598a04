// The API request behind a page or a form, written out for a shell and for a program.

import { type ApiRequest, curlOf, typeScriptOf } from '../../lib/api-request'
import { Dialog } from '../feedback/Dialog'
import { Tabs } from '../layout/Tabs'
import { CodeBlock } from './CodeBlock'

const KINDS = [
  { name: 'curl', write: curlOf },
  { name: 'TypeScript', write: typeScriptOf },
]

export default function ApiRequestDialog({
  request,
  onClose,
}: {
  request: ApiRequest
  onClose: () => void
}) {
  return (
    <Dialog title="API request" onClose={onClose} isWide>
      <Tabs
        label="Language"
        tabs={KINDS.map(({ name, write }) => ({
          name,
          content: <CodeBlock text={write(request, location.origin)} label={`${name} request`} />,
        }))}
      />
      <p className="text-sm text-ink-2">
        LONGCODE_TOKEN is one of your access tokens (Settings, Tokens). All requests are in the{' '}
        <a href="/docs/api" className="text-accent-ink underline">
          API reference
        </a>
        .
      </p>
    </Dialog>
  )
}
