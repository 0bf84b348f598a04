// A carrier added by the operator: choose the provider, give the account, see each step with its outcome and what is
// still missing. Secrets are typed unseen and never kept in the browser.

import { type FormEvent, useRef, useState } from 'react'
import type { OperatorAddCarrierReply } from '../../../generated/types.gen'
import { ApiFailure } from '../../api/call'
import { operate } from '../../api/operator-queries'
import { useAct } from '../../lib/use-act'
import { ApiCallButton } from '../../ui/ApiCall'
import { Button, ButtonLink } from '../../ui/Button'
import { Checkbox, Field, Input } from '../../ui/Field'
import { ErrorNotice } from '../../ui/Notice'
import { Card, Page } from '../../ui/Page'
import { type AccountField, PROVIDER_WORDS, type ProviderKind } from './carriers/provider-fields'
import { SetupOutcome } from './carriers/SetupOutcome'

const KINDS = Object.keys(PROVIDER_WORDS) as ProviderKind[]

interface Typed {
  kind: ProviderKind
  name: string
  publicUrl: string
  number: string
  testTo: string
  /** Brands and campaigns are registered through the link. */
  registers: boolean
  fields: Record<string, string>
}

const NOTHING: Typed = {
  kind: 'telnyx',
  name: '',
  publicUrl: '',
  number: '',
  testTo: '',
  registers: false,
  fields: {},
}

export function AddCarrier() {
  const [typed, setTyped] = useState(NOTHING)
  const words = PROVIDER_WORDS[typed.kind]
  const outcome = useRef<HTMLDivElement>(null)
  const add = useAct(
    (key, dryRun: boolean) =>
      operate<OperatorAddCarrierReply>('POST', '/carrier/add', {
        body: bodyOf(typed, dryRun),
        key,
      }),
    {
      onDone: ({ isSetUp }, dryRun) => {
        if (isSetUp && !dryRun) setTyped(withoutSecrets(typed))
        outcome.current?.scrollIntoView({ block: 'nearest' })
      },
    },
  )
  const change = (part: Partial<Typed>) => setTyped({ ...typed, ...part })
  const details = add.error instanceof ApiFailure ? add.error.details : []
  const problemOf = (field: string) => details.find((one) => one.field === field)?.problem
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.run(false)
  }
  return (
    <Page
      title="Add a carrier"
      actions={
        <>
          <ButtonLink to="/operator/carriers">Back to carriers</ButtonLink>
          <ApiCallButton
            call={{ method: 'POST', path: '/operator/v1/carrier/add', body: shownBody(typed) }}
          />
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Card title="Provider">
            <Providers
              kind={typed.kind}
              onChoose={(kind) => {
                add.reset()
                setTyped({ ...NOTHING, kind, publicUrl: typed.publicUrl, testTo: typed.testTo })
              }}
            />
          </Card>
          <Card title={`Your account at ${words.title}`}>
            <div className="flex flex-col gap-3">
              {words.fields.map((field) => (
                <AccountInput
                  key={`${typed.kind} ${field.name}`}
                  field={field}
                  value={typed.fields[field.name] ?? ''}
                  error={problemOf(field.name) ?? problemOf(`fields.${field.name}`)}
                  onChange={(value) => change({ fields: { ...typed.fields, [field.name]: value } })}
                />
              ))}
            </div>
          </Card>
          <Card title="How it is used">
            <Usage typed={typed} change={change} problemOf={problemOf} />
          </Card>
          {add.error ? <ErrorNotice error={add.error} isAnswer /> : null}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => add.run(true)} blocked={add.isBusy && 'It is under way'}>
              Only look
            </Button>
            <Button look="filled" type="submit" busy={add.isBusy && busyText(typed)}>
              Set up {words.title}
            </Button>
          </div>
        </form>
        <div ref={outcome} className="flex scroll-mt-24 flex-col gap-4" aria-live="polite">
          {add.reply ? <SetupOutcome reply={add.reply} /> : <WhatHappens typed={typed} />}
        </div>
      </div>
    </Page>
  )
}

/** A text takes its time, and so does the call that says what became of it. */
const busyText = ({ testTo }: Typed) =>
  testTo.trim() === '' ? 'Setting up…' : 'Setting up, then waiting up to 40 s for the receipt…'

/** What was left empty is as the file and the settings have it. */
function bodyOf({ kind, fields, registers, ...rest }: Typed, dryRun: boolean) {
  const given = (from: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, text]) =>
        text.trim() === '' ? [] : [[name, text.trim()]],
      ),
    )
  return {
    ...{ kind, ...given(rest), fields: given(fields) },
    ...(registers && kind === 'telnyx' && { registration: {} }),
    ...(dryRun && { dryRun }),
  }
}

/** Once the service has them, the page does not keep them. */
function withoutSecrets(typed: Typed): Typed {
  const secrets = PROVIDER_WORDS[typed.kind].fields.filter(({ isSecret }) => isSecret)
  const empty = Object.fromEntries(secrets.map(({ name }) => [name, '']))
  return { ...typed, fields: { ...typed.fields, ...empty } }
}

function shownBody(typed: Typed) {
  const hidden = PROVIDER_WORDS[typed.kind].fields.filter(({ isSecret }) => isSecret)
  const masks = hidden.map(({ name }) => [name, typed.fields[name] ? '…' : ''])
  return bodyOf({ ...typed, fields: { ...typed.fields, ...Object.fromEntries(masks) } }, false)
}

interface ProvidersProps {
  kind: ProviderKind
  onChoose: (kind: ProviderKind) => void
}

function Providers({ kind, onChoose }: ProvidersProps) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-3">
      <legend className="sr-only">Provider</legend>
      {KINDS.map((one) => (
        <label
          key={one}
          className="flex cursor-pointer flex-col gap-1 rounded-md border border-line-strong p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
        >
          <span className="flex items-center gap-2 font-medium">
            <input
              type="radio"
              name="provider"
              className="size-4 accent-accent"
              checked={one === kind}
              onChange={() => onChoose(one)}
            />
            {PROVIDER_WORDS[one].title}
          </span>
          <span className="text-sm text-ink-2">{PROVIDER_WORDS[one].about}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface AccountInputProps {
  field: AccountField
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

function AccountInput({ field, value, error, onChange }: AccountInputProps) {
  const { label, help, isSecret, isOptional } = field
  return (
    <Field label={label} help={help} error={error} isOptional={isOptional ?? false}>
      {(tied) => (
        <Input
          {...tied}
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          spellCheck={false}
          maxLength={500}
          className="font-mono"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface UsageProps {
  typed: Typed
  change: (part: Partial<Typed>) => void
  problemOf: (field: string) => string | undefined
}

function Usage({ typed, change, problemOf }: UsageProps) {
  const { title, container } = PROVIDER_WORDS[typed.kind]
  const inputs: {
    name: 'name' | 'publicUrl' | 'number' | 'testTo'
    label: string
    help: string
  }[] = [
    {
      ...{ name: 'publicUrl', label: 'Public address of this service' },
      help: `Where ${title} reaches it by https. Empty: as LONGCODE_PUBLIC_URL says.`,
    },
    {
      name: 'number',
      label: 'Number',
      help: `One of the account’s: it is put into the ${container}.`,
    },
    {
      ...{ name: 'testTo', label: 'Phone for a test message' },
      help: 'A real text, at the price there; its receipt is waited for.',
    },
    {
      name: 'name',
      label: 'Name of the link',
      help: `Empty: ${typed.kind}. Receipts are found by it: keep it.`,
    },
  ]
  return (
    <div className="flex flex-col gap-3">
      {inputs.map(({ name, label, help }) => (
        <Field key={name} label={label} help={help} isOptional error={problemOf(name)}>
          {(tied) => (
            <Input
              {...tied}
              autoComplete="off"
              spellCheck={false}
              maxLength={500}
              inputMode={name === 'number' || name === 'testTo' ? 'tel' : 'text'}
              value={typed[name]}
              onChange={({ target }) => change({ [name]: target.value })}
            />
          )}
        </Field>
      ))}
      {typed.kind === 'telnyx' ? (
        <Checkbox
          isChecked={typed.registers}
          onChange={(registers) => change({ registers })}
          label="Register brands and campaigns through Telnyx"
          help="Customers’ brands and campaigns go to the carriers’ registry through this account. Telnyx charges its fees."
        />
      ) : null}
    </div>
  )
}

/** Before anything was done. */
function WhatHappens({ typed }: { typed: Typed }) {
  const { title, container } = PROVIDER_WORDS[typed.kind]
  const steps = [
    `The key is tried at ${title}; nothing is bought.`,
    `The ${container} “longcode ${typed.name.trim() || typed.kind}” is found, or made, with the webhook of this service.`,
    'The link is written into the carriers file, which is checked and read again.',
    'A test message is sent, if you name a phone, and its receipt is waited for.',
    'What is still missing is listed, with what to do.',
  ]
  return (
    <Card title="What will happen">
      <ol className="flex list-decimal flex-col gap-2 pl-5 text-ink-2 marker:text-ink-3">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="mt-3 text-sm text-ink-2">
        Done again it changes only what differs, and never makes a second {container}.
      </p>
    </Card>
  )
}
