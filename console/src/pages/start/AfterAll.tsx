// What to try once the first text has been delivered and answered.

import { formatPhone } from '../../lib/format'
import { FIRST_PHONE } from '../../lib/sandbox'
import { ButtonLink } from '../../ui/Button'
import { CodeBlock } from '../../ui/CodeBlock'
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
        <h2 className="font-semibold">Type STOP on the phone</h2>
        <p className="mt-1 mb-3 text-ink-2">
          The opt-out, the reply and the refusal of later texts happen by themselves.
        </p>
        <ButtonLink to="/handset">Open the handset</ButtonLink>
      </div>
      <div className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-semibold">Get events on localhost</h2>
        <p className="mt-1 mb-3 text-ink-2">No public address needed.</p>
        <CodeBlock
          text="npx longcode listen --forward http://localhost:3000/hook"
          label="the command"
        />
      </div>
      <div className="rounded-lg border border-line bg-surface p-4">
        <h2 className="font-semibold">Do it from your code</h2>
        <p className="mt-1 mb-3 text-ink-2">
          With this account’s ids; texts come from {formatPhone(number?.phoneNumber ?? '')}.
        </p>
        <CodeBlock text={send} label="the command" />
      </div>
    </div>
  )
}
