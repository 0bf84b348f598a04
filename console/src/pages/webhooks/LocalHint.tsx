// Local development needs no webhook.

import { CopyButton } from '../../ui/inputs/Copy'

const COMMAND = 'npx longcode listen --forward http://localhost:3000/hook'

export function LocalHint() {
  return (
    <p className="text-sm text-ink-2">
      To receive events on your machine without a webhook, run:{' '}
      <code className="font-mono wrap-anywhere">{COMMAND}</code>{' '}
      <CopyButton text={COMMAND} label="command" />
    </p>
  )
}
