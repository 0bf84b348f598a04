// The secrets, receivers that verify with them in three languages, and a signature checker.

import { useState } from 'react'
import type { Webhook } from '../../../generated/types.gen'
import { VERIFY_SNIPPETS } from '../../lib/verify-snippets'
import { CodeBlock } from '../../ui/display/CodeBlock'
import { Button } from '../../ui/inputs/Button'
import { Card } from '../../ui/layout/Page'
import { Tabs } from '../../ui/layout/Tabs'
import { RotateSecret } from './RotateSecret'
import { SecretList } from './SecretList'
import { SignatureChecker } from './SignatureChecker'

export function Secrets({ webhook }: { webhook: Webhook }) {
  const [isRotating, setRotating] = useState(false)
  return (
    <>
      <Card title="Secrets">
        <SecretList
          webhook={webhook}
          rotate={<Button onClick={() => setRotating(true)}>Rotate…</Button>}
        />
        {isRotating ? <RotateSecret webhook={webhook} onClose={() => setRotating(false)} /> : null}
      </Card>
      <Card title="Verify deliveries">
        <p className="mb-2 text-ink-2">
          A complete receiver without libraries. WEBHOOK_SECRET is the secret above.
        </p>
        <Tabs
          label="Language"
          tabs={VERIFY_SNIPPETS.map(({ language, text }) => ({
            name: language,
            content: <CodeBlock text={text} label={`${language} receiver`} />,
          }))}
        />
      </Card>
      <Card title="Check a signature">
        <p className="mb-2 text-ink-2">
          Paste the headers and body of a delivery that your receiver refused.
        </p>
        <SignatureChecker key={webhook.secret} secret={webhook.secret ?? ''} isWide />
      </Card>
    </>
  )
}
