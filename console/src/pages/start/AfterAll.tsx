// What to try after the first text was delivered and answered.

import { formatPhone } from '../../lib/format'
import { FIRST_PHONE } from '../../lib/sandbox'
import { CodeBlock } from '../../ui/display/CodeBlock'
import { ButtonLink } from '../../ui/inputs/Button'
import type { Progress } from './progress'

export function AfterAll({ campaign, number }: Progress) {
  const send = [
    `curl ${location.origin}/v1/message/send \\`,
    '  -H "Authorization: Bearer $LONGCODE_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"campaign": "${campaign?.id ?? ''}", "to": "${FIRST_PHONE}", "body": "Hello again"}'`,
  ].join('\n')
  return (
    <div className="mt-6 grid gap-4 md:grid-cols-3">
      <div className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-semibold">Text STOP</h2>
        <p className="mt-1 mb-3 text-ink-2">Text STOP and watch what happens at every step.</p>
        <ButtonLink to="/handset">Open handset</ButtonLink>
      </div>
      <div className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-semibold">Receive events on localhost</h2>
        <p className="mt-1 mb-3 text-ink-2">No public URL needed.</p>
        <CodeBlock
          text="npx longcode listen --forward http://localhost:3000/hook"
          label="command"
        />
      </div>
      <div className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-semibold">Send from your code</h2>
        <p className="mt-1 mb-3 text-ink-2">
          Uses this account’s IDs. Texts come from {formatPhone(number?.phoneNumber ?? '')}.
        </p>
        <CodeBlock text={send} label="command" />
      </div>
    </div>
  )
}
