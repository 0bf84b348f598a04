// For work on one's own machine there need not be a webhook at all.

import { CopyButton } from '../../ui/Copy'

const COMMAND = 'npx longcode listen --forward http://localhost:3000/hook'

export function LocalHint() {
  return (
    <p className="text-sm text-ink-2">
      On your own machine, without a webhook:{' '}
      <code className="font-mono wrap-anywhere">{COMMAND}</code>{' '}
      <CopyButton text={COMMAND} label="the command" />
    </p>
  )
}
