// Adds a carrier: choose the provider, enter the account, and see each step with its result and what is still
// missing. The service lists the providers and their fields. Secrets are masked and never stored in the browser.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { CarrierProvider, CarrierProviderField } from '../../../generated/types.gen'
import { providersQuery } from '../../api/operator-queries'
import { ApiFailure, request } from '../../api/request'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button, ButtonLink } from '../../ui/inputs/Button'
import { Checkbox, Field, Input } from '../../ui/inputs/Field'
import { Card, Page, Skeleton } from '../../ui/layout/Page'
import { SetupOutcome } from './carriers/SetupOutcome'

interface Typed {
  name: string
  publicUrl: string
  number: string
  testTo: string
  /** Brands and campaigns are registered through this link. */
  registers: boolean
  fields: Record<string, string>
}

const NOTHING: Typed = {
  name: '',
  publicUrl: '',
  number: '',
  testTo: '',
  registers: false,
  fields: {},
}

export function AddCarrier() {
  const { data, error, refetch } = useQuery(providersQuery)
  if (data) return <AddCarrierForm providers={data.providers} />
  return (
    <Page title="Add carrier">
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : <Skeleton rows={6} />}
    </Page>
  )
}

function AddCarrierForm({ providers }: { providers: readonly CarrierProvider[] }) {
  const [provider, setProvider] = useState(providers[0]!)
  const [typed, setTyped] = useState(NOTHING)
  const outcome = useRef<HTMLDivElement>(null)
  const add = useAct(
    (key, dryRun: boolean) =>
      request('POST /operator/v1/carrier/add', { body: bodyOf(provider, typed, dryRun), key }),
    {
      onDone: ({ isSetUp }, dryRun) => {
        if (isSetUp && !dryRun) setTyped(withoutSecrets(provider, typed))
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
      title="Add carrier"
      actions={
        <>
          <ButtonLink to="/operator/carriers">Back to carriers</ButtonLink>
          <ApiRequestButton
            request={{
              method: 'POST',
              path: '/operator/v1/carrier/add',
              body: shownBody(provider, typed),
            }}
          />
        </>
      }
    >
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Card title="Provider">
            <Providers
              providers={providers}
              current={provider}
              onChoose={(chosen) => {
                add.reset()
                setProvider(chosen)
                setTyped({ ...NOTHING, publicUrl: typed.publicUrl, testTo: typed.testTo })
              }}
            />
          </Card>
          <Card title={`Your ${provider.title} account`}>
            <div className="flex flex-col gap-3">
              {provider.fields.map((field) => (
                <AccountInput
                  key={`${provider.kind} ${field.name}`}
                  field={field}
                  value={typed.fields[field.name] ?? ''}
                  error={problemOf(field.name) ?? problemOf(`fields.${field.name}`)}
                  onChange={(value) => change({ fields: { ...typed.fields, [field.name]: value } })}
                />
              ))}
            </div>
          </Card>
          <Card title="Settings">
            <Usage provider={provider} typed={typed} change={change} problemOf={problemOf} />
          </Card>
          {add.error ? <ErrorNotice error={add.error} isAnswer /> : null}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => add.run(true)} blocked={add.isBusy && 'Setup is running'}>
              Preview
            </Button>
            <Button look="filled" type="submit" busy={add.isBusy && busyText(typed)}>
              Set up {provider.title}
            </Button>
          </div>
        </form>
        <div ref={outcome} className="flex scroll-mt-24 flex-col gap-4" aria-live="polite">
          {add.reply ? (
            <SetupOutcome reply={add.reply} />
          ) : (
            <WhatHappens provider={provider} linkName={typed.name} />
          )}
        </div>
      </div>
    </Page>
  )
}

/** Sending a test message takes time, and so does its request. */
const busyText = ({ testTo }: Typed) =>
  testTo.trim() === '' ? 'Setting up…' : 'Setting up and waiting up to 40 seconds for the receipt…'

/** Empty fields keep the values of the carriers file and the settings. */
function bodyOf(
  { kind, hasRegistration }: CarrierProvider,
  { fields, registers, ...rest }: Typed,
  dryRun: boolean,
) {
  const filled = (from: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(from).flatMap(([name, text]) =>
        text.trim() === '' ? [] : [[name, text.trim()]],
      ),
    )
  return {
    ...{ kind, ...filled(rest), fields: filled(fields) },
    ...(registers && hasRegistration && { registration: {} }),
    ...(dryRun && { dryRun }),
  }
}

/** Once the service has the secrets, the page discards them. */
function withoutSecrets(provider: CarrierProvider, typed: Typed): Typed {
  const secrets = provider.fields.filter(({ isSecret }) => isSecret)
  const empty = Object.fromEntries(secrets.map(({ name }) => [name, '']))
  return { ...typed, fields: { ...typed.fields, ...empty } }
}

function shownBody(provider: CarrierProvider, typed: Typed) {
  const hidden = provider.fields.filter(({ isSecret }) => isSecret)
  const masks = hidden.map(({ name }) => [name, typed.fields[name] ? '…' : ''])
  const fields = { ...typed.fields, ...Object.fromEntries(masks) }
  return bodyOf(provider, { ...typed, fields }, false)
}

interface ProvidersProps {
  providers: readonly CarrierProvider[]
  current: CarrierProvider
  onChoose: (provider: CarrierProvider) => void
}

function Providers({ providers, current, onChoose }: ProvidersProps) {
  return (
    <fieldset className="grid gap-2 sm:grid-cols-3">
      <legend className="sr-only">Provider</legend>
      {providers.map((one) => (
        <label
          key={one.kind}
          className="flex cursor-pointer flex-col gap-1 rounded-md border border-line-strong p-3 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
        >
          <span className="flex items-center gap-2 font-medium">
            <input
              type="radio"
              name="provider"
              className="size-4 accent-accent"
              checked={one.kind === current.kind}
              onChange={() => onChoose(one)}
            />
            {one.title}
          </span>
          <span className="text-sm text-ink-2">{one.about}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface AccountInputProps {
  field: CarrierProviderField
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

function AccountInput({ field, value, error, onChange }: AccountInputProps) {
  const { label, help, isSecret, isRequired } = field
  return (
    <Field label={label} help={help} error={error} isOptional={!isRequired}>
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
  provider: CarrierProvider
  typed: Typed
  change: (part: Partial<Typed>) => void
  problemOf: (field: string) => string | undefined
}

function Usage({ provider, typed, change, problemOf }: UsageProps) {
  const { kind, title, container, hasRegistration } = provider
  const inputs: {
    name: 'name' | 'publicUrl' | 'number' | 'testTo'
    label: string
    help: string
  }[] = [
    {
      ...{ name: 'publicUrl', label: 'Public URL of this service' },
      help: `The https URL where ${title} can reach it. Defaults to LONGCODE_PUBLIC_URL.`,
    },
    {
      name: 'number',
      label: 'Number',
      help: `A number in the account. It is added to the ${container}.`,
    },
    {
      ...{ name: 'testTo', label: 'Test phone' },
      help: 'Sends a real text at the provider’s price and waits for its receipt.',
    },
    {
      name: 'name',
      label: 'Link name',
      help: `Defaults to ${kind}. Receipts are matched by this name, so do not change it later.`,
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
      {hasRegistration ? (
        <Checkbox
          isChecked={typed.registers}
          onChange={(registers) => change({ registers })}
          label={`Register brands and campaigns through ${title}`}
          help={`Customers’ brands and campaigns are registered with The Campaign Registry through this account. ${title}’s fees apply.`}
        />
      ) : null}
    </div>
  )
}

interface WhatHappensProps {
  provider: CarrierProvider
  linkName: string
}

/** What setup does, shown before it runs. */
function WhatHappens({ provider: { kind, title, container }, linkName }: WhatHappensProps) {
  const steps = [
    `Check the credentials with ${title}. Nothing is bought.`,
    `Find or create the ${container} “longcode ${linkName.trim() || kind}” and set its callback URL to this service.`,
    'Write the link to the carriers file, validate it, and reload it.',
    'If you enter a phone number, send a test message to it and wait for the receipt.',
    'List what is still missing and how to fix it.',
  ]
  return (
    <Card title="Setup steps">
      <ol className="flex list-decimal flex-col gap-2 pl-5 text-ink-2 marker:text-ink-3">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className="mt-3 text-sm text-ink-2">
        You can run setup again. It changes only what differs and never creates a second {container}
        .
      </p>
    </Card>
  )
}
