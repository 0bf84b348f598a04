// The result of a setup: its steps in order, what is still missing and how to fix it, and the lines to paste if the
// file could not be written.

import type {
  CarrierSetupLack,
  CarrierSetupStep,
  OperatorAddCarrierReply,
} from '../../../../generated/types.gen'
import { Badge } from '../../../ui/display/Badge'
import { CodeBlock } from '../../../ui/display/CodeBlock'
import { setupState } from '../../../ui/display/operator-states'
import { Notice } from '../../../ui/feedback/Notice'
import { Card } from '../../../ui/layout/Page'

const STEP_WORDS: Record<string, string> = {
  key: 'Credentials',
  callbacks: 'Callbacks',
  container: 'Profile and callback URL',
  numbers: 'Numbers',
  file: 'Carriers file',
  check: 'File check',
  reload: 'Reload',
  test: 'Test message',
  receipt: 'Delivery receipt',
}

export function SetupOutcome({ reply }: { reply: OperatorAddCarrierReply }) {
  const { steps, missing, yaml } = reply
  return (
    <>
      <SetupResult reply={reply} />
      <Card title="Steps">
        <ol className="divide-y divide-line">
          {steps.map((step) => (
            <Step key={`${step.step} ${step.text}`} of={step} />
          ))}
        </ol>
      </Card>
      {missing.length > 0 ? (
        <Card title="Still missing">
          <ul className="divide-y divide-line">
            {missing.map((lack) => (
              <Lack key={lack.text} of={lack} />
            ))}
          </ul>
        </Card>
      ) : null}
      {yaml ? (
        <Card title="Link for the carriers file">
          <p className="mb-2 text-ink-2">
            Secrets are referenced, not shown. Set these variables where the service runs.
          </p>
          <CodeBlock text={yaml} label="link" />
        </Card>
      ) : null}
    </>
  )
}

function SetupResult({ reply }: { reply: OperatorAddCarrierReply }) {
  const { isSetUp, steps, missing, link } = reply
  const failed = steps.find(({ state }) => state === 'failed')
  if (!isSetUp && failed) {
    return <Notice tone="bad" isAnswer title={`${link} is not set up yet: ${failed.text}`} />
  }
  const isPlan = steps.some(({ state }) => state === 'planned')
  if (isPlan) return <Notice tone="go" isAnswer title="Nothing was changed. Setup would do this:" />
  if (missing.length > 0) {
    return (
      <Notice tone="warn" isAnswer title={`${link} is set up but not ready for traffic yet.`} />
    )
  }
  return <Notice tone="ok" isAnswer title={`${link} is set up. Nothing is missing.`} />
}

function Step({ of: { step, state, text } }: { of: CarrierSetupStep }) {
  return (
    <li className="py-2">
      <p className="flex items-center gap-2">
        <span className="font-medium">{STEP_WORDS[step] ?? step}</span>
        <Badge state={setupState(state)} />
      </p>
      <p className="mt-0.5 text-ink-2 wrap-anywhere whitespace-pre-line" dir="auto">
        {text}
      </p>
    </li>
  )
}

function Lack({ of: { text, remedy } }: { of: CarrierSetupLack }) {
  return (
    <li className="py-2">
      <p className="font-medium wrap-anywhere">{text}</p>
      <p className="text-ink-2 wrap-anywhere">{remedy}</p>
    </li>
  )
}
