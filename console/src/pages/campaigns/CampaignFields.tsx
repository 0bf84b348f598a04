// The four sections of the campaign form, with help for each field.

import { useState } from 'react'
import type { Brand } from '../../../generated/types.gen'
import { brandState } from '../../ui/display/states'
import { Button } from '../../ui/inputs/Button'
import { Checkbox } from '../../ui/inputs/Field'
import { FieldNote } from '../../ui/inputs/FieldNote'
import { normalizeWebAddress } from '../brands/brand-values'
import { Section, TextField } from '../registry/fields'
import type { Form } from '../registry/use-form'
import { type CampaignValues, SAMPLES, USECASES } from './campaign-values'

type Props = { form: Form<CampaignValues> }

export function CampaignFields({ form, brands }: Props & { brands: readonly Brand[] }) {
  return (
    <>
      <Purpose form={form} brands={brands} />
      <Messages form={form} />
      <Consent form={form} />
      <Replies form={form} />
    </>
  )
}

function Purpose({ form, brands }: Props & { brands: readonly Brand[] }) {
  const options = brands.map((brand) => ({
    value: brand.id,
    label: `${brand.displayName} (${brandState(brand).word})`,
  }))
  const lowVolumeNote = form.noteOf('isLowVolume')
  return (
    <Section title="Purpose">
      <TextField
        form={form}
        name="brandId"
        label="Brand"
        help="The company that sends the messages. The review starts once the brand is verified."
        options={[{ value: '', label: 'Choose a brand' }, ...options]}
      />
      <UsecaseField form={form} />
      <TextField
        form={form}
        name="displayName"
        label="Name"
        isOptional
        help="For you and your reviewer. Recipients never see it. Defaults to the brand and use case."
        maxLength={255}
      />
      <div id="field-isLowVolume" className="flex flex-col gap-2">
        <Checkbox
          label="Register as low volume"
          help="Lower limits: AT&T 75 SMS and 50 MMS per minute, T-Mobile 2,000 per day."
          isChecked={form.values.isLowVolume}
          onChange={(isLowVolume) => form.set({ isLowVolume })}
        />
        {lowVolumeNote ? <FieldNote {...lowVolumeNote} /> : null}
      </div>
    </Section>
  )
}

function UsecaseField({ form }: Props) {
  const { usecase } = form.values
  const note = form.noteOf('usecase')
  const problem = form.problems.usecase ?? form.problems.subUsecases
  const toggle = (name: string, isOn: boolean) =>
    form.set({ usecase: isOn ? [...usecase, name] : usecase.filter((one) => one !== name) })
  return (
    <fieldset
      id="field-usecase"
      className={note ? 'grid gap-x-4 gap-y-1 lg:grid-cols-[minmax(0,1fr)_16rem]' : ''}
      aria-describedby="usecase-help usecase-error"
    >
      <div>
        <legend className="float-left w-full font-medium">Use case</legend>
        <p id="usecase-help" className="clear-both mb-2 text-sm text-ink-2">
          Choose what you send. Two to five use cases are registered as MIXED.
        </p>
        <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
          {USECASES.map(({ value, label, what }) => (
            <Checkbox
              key={value}
              label={
                <>
                  {label} <span className="text-sm text-ink-2">{what}</span>
                </>
              }
              isChecked={usecase.includes(value)}
              onChange={(isOn) => toggle(value, isOn)}
            />
          ))}
        </div>
        <p id="usecase-error" className="mt-1 text-sm text-bad-ink empty:hidden">
          {problem}
        </p>
      </div>
      {note ? <FieldNote {...note} /> : null}
    </fieldset>
  )
}

/** Reviewers expect two. */
const SAMPLES_SHOWN = 2

function Messages({ form }: Props) {
  const filled = SAMPLES.findLastIndex((name) => form.values[name] !== '' || form.noteOf(name))
  const [shown, setShown] = useState(SAMPLES_SHOWN)
  const count = Math.max(shown, filled + 1)
  return (
    <Section title="Content">
      <TextField
        form={form}
        name="description"
        label="Description"
        help="What you send, to whom, and when. At least one sentence."
        rows={3}
        maxLength={4096}
      />
      {SAMPLES.slice(0, count).map((name, i) => (
        <TextField
          key={name}
          form={form}
          name={name}
          label={`Sample ${i + 1}`}
          isOptional={i >= SAMPLES_SHOWN}
          help={i === 0 ? 'A real message, with your brand name and how to opt out.' : null}
          rows={2}
          maxLength={1500}
        />
      ))}
      {count < SAMPLES.length ? (
        <div>
          <Button onClick={() => setShown(count + 1)}>Add sample</Button>
        </div>
      ) : null}
    </Section>
  )
}

function Consent({ form }: Props) {
  return (
    <Section title="Consent">
      <TextField
        form={form}
        name="consentFlow"
        label="Consent flow"
        help="Where people agree (web form, checkout, keyword, paper), what they read there, and a link."
        rows={4}
        maxLength={4096}
      />
      <TextField
        form={form}
        name="screenshotUrl"
        label="Screenshot URL"
        isOptional
        help="An image of the opt-in page, if the page requires a login."
        maxLength={2048}
        inputMode="url"
        normalize={normalizeWebAddress}
      />
    </Section>
  )
}

const REPLIES = [
  { kind: 'optout', label: 'Opt-out', help: 'Confirms that you will send no more messages.' },
  { kind: 'optin', label: 'Opt-in', help: 'Mentions HELP, STOP, and message rates.' },
  { kind: 'help', label: 'Help', help: 'States who you are and how to get help.' },
] as const

function Replies({ form }: Props) {
  return (
    <Section title="Keywords and replies" hint="You can change these at any time">
      <p className="text-ink-2">
        Leave empty for defaults that start with the brand’s name. Replies are free.
      </p>
      {REPLIES.map(({ kind, label, help }) => (
        <div key={kind} className="flex flex-col gap-4">
          <TextField
            form={form}
            name={`${kind}Keywords`}
            label={`${label} keywords`}
            isOptional
            help={
              kind === 'optout'
                ? 'Separate with commas. Must include the seven keywords required by law.'
                : 'Separate with commas.'
            }
          />
          <TextField
            form={form}
            name={`${kind}Message`}
            label={`${label} reply`}
            isOptional
            help={help}
            rows={2}
            maxLength={1500}
          />
        </div>
      ))}
    </Section>
  )
}
