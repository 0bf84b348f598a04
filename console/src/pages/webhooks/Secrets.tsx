// What a receiver checks with, how it does so in three languages, and a check to try here.

import { useState } from 'react'
import type { Webhook } from '../../../generated/types.gen'
import { VERIFY_SNIPPETS } from '../../lib/verify-snippets'
import { Button } from '../../ui/Button'
import { CodeBlock } from '../../ui/CodeBlock'
import { Card } from '../../ui/Page'
import { Tabs } from '../../ui/Tabs'
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
      <Card title="Verify it">
        <p className="mb-2 text-ink-2">
          A whole receiver, without any library. WEBHOOK_SECRET is the secret above.
        </p>
        <Tabs
          label="Language"
          tabs={VERIFY_SNIPPETS.map(({ language, text }) => ({
            name: language,
            content: <CodeBlock text={text} label={`the ${language} receiver`} />,
          }))}
        />
      </Card>
      <Card title="Check a signature">
        <p className="mb-2 text-ink-2">
          Paste the headers and the body of a delivery that your receiver refused.
        </p>
        <SignatureChecker key={webhook.secret} secret={webhook.secret ?? ''} isWide />
      </Card>
    </>
  )
}
