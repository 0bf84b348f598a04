// The fields of a brand with help for each, and the brand as a reviewer will see it.

import { formatPhone, readPhone } from '../../lib/format'
import { Facts } from '../registry/Facts'
import { Section, TextField } from '../registry/fields'
import type { Form } from '../registry/use-form'
import {
  BRAND_LABELS,
  type BrandValues,
  normalizeEin,
  normalizePhone,
  normalizeWebAddress,
  VERTICAL_OPTIONS,
} from './brand-values'
import { stateOptions } from './us-states'

type Props = {
  form: Form<BrandValues>
  /** Fields that a registration provider requires beyond the contract. */
  asks: readonly string[]
}

export function BrandFields({ form, asks }: Props) {
  return (
    <>
      <LegalEntity form={form} asks={asks} />
      <Address form={form} />
      <Contact form={form} />
      <ReviewerView values={form.values} />
    </>
  )
}

function LegalEntity({ form, asks }: Props) {
  const isShown = (name: 'termsLink' | 'vertical') =>
    asks.includes(name) || form.values[name] !== ''
  return (
    <Section title="Legal entity">
      <div id="field-entityType">
        <p className="font-medium">Company type</p>
        <p className="text-sm text-ink-2">
          <span className="font-mono">PRIVATE_PROFIT</span>. Only private companies are supported
          for now.
        </p>
      </div>
      <TextField
        form={form}
        name="entityName"
        label="Legal name"
        help="Exactly as it appears on your IRS letter (CP 575 or 147C), including LLC or Inc."
        maxLength={255}
        autoComplete="organization"
      />
      <TextField
        form={form}
        name="ein"
        label="EIN"
        help="Nine digits. Must match the legal name."
        maxLength={20}
        inputMode="numeric"
        className="max-w-40"
        normalize={normalizeEin}
      />
      <TextField
        form={form}
        name="displayName"
        label="Display name"
        isOptional
        help="The name customers know. Automatic replies start with it."
        maxLength={255}
      />
      <TextField
        form={form}
        name="website"
        label="Website"
        help="Reviewers visit it. The HELP reply links to it."
        maxLength={2048}
        inputMode="url"
        normalize={normalizeWebAddress}
      />
      <TextField
        form={form}
        name="privacyLink"
        label="Privacy policy URL"
        isOptional={!asks.includes('privacyLink')}
        help="It should state that you don’t share phone numbers."
        maxLength={2048}
        inputMode="url"
        normalize={normalizeWebAddress}
      />
      {isShown('termsLink') ? (
        <TextField
          form={form}
          name="termsLink"
          label="Terms and conditions URL"
          help="They should state what you send, how often, and how to opt out."
          maxLength={2048}
          inputMode="url"
          normalize={normalizeWebAddress}
        />
      ) : null}
      {isShown('vertical') ? (
        <TextField
          form={form}
          name="vertical"
          label="Industry"
          help="Your industry, as listed by The Campaign Registry."
          className="max-w-80"
          options={VERTICAL_OPTIONS}
        />
      ) : null}
    </Section>
  )
}

function Address({ form }: Pick<Props, 'form'>) {
  const { country, state } = form.values
  const isUs = country.trim().toUpperCase() === 'US'
  return (
    <Section title="Address" hint="As it appears in IRS records">
      <div className="grid items-start gap-4 sm:grid-cols-6">
        <TextField
          form={form}
          name="street"
          label="Street"
          maxLength={255}
          autoComplete="street-address"
          span="sm:col-span-4"
        />
        <TextField form={form} name="city" label="City" maxLength={100} span="sm:col-span-2" />
        <TextField
          form={form}
          name="state"
          label="State"
          maxLength={100}
          span="sm:col-span-2"
          {...(isUs && { options: stateOptions(state) })}
        />
        <TextField
          form={form}
          name="postalCode"
          label="ZIP code"
          maxLength={5}
          inputMode="numeric"
          autoComplete="postal-code"
          span="sm:col-span-2"
        />
        <TextField
          form={form}
          name="country"
          label="Country"
          maxLength={2}
          span="sm:col-span-2"
          normalize={(text) => text.trim().toUpperCase()}
        />
      </div>
    </Section>
  )
}

function Contact({ form }: Pick<Props, 'form'>) {
  return (
    <Section title="Contact" hint="Who the registry should contact">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField form={form} name="firstName" label="First name" maxLength={100} />
        <TextField form={form} name="lastName" label="Last name" maxLength={100} />
        <TextField
          form={form}
          name="email"
          label="Email"
          maxLength={254}
          inputMode="email"
          autoComplete="email"
        />
        <TextField
          form={form}
          name="phone"
          label="Phone"
          maxLength={30}
          inputMode="tel"
          autoComplete="tel"
          normalize={normalizePhone}
        />
      </div>
    </Section>
  )
}

function ReviewerView({ values }: { values: BrandValues }) {
  const { entityName, displayName, street, city, state, postalCode, country } = values
  const { firstName, lastName, email, phone } = values
  return (
    <details className="rounded-lg border border-line bg-surface p-4">
      <summary className="cursor-pointer font-medium">Reviewer’s view</summary>
      <div className="mt-3">
        <Facts
          facts={[
            ['Company type', 'PRIVATE_PROFIT'],
            [BRAND_LABELS.entityName!, entityName],
            [BRAND_LABELS.ein!, normalizeEin(values.ein)],
            ['Replies start with', `${displayName || entityName || '…'}:`],
            [BRAND_LABELS.website!, values.website],
            [BRAND_LABELS.privacyLink!, values.privacyLink || 'none'],
            ['Address', joined([street, city, joined([state, postalCode], ' '), country])],
            [
              'Contact',
              joined([joined([firstName, lastName], ' '), email, formatPhone(readPhone(phone))]),
            ],
          ]}
        />
        <p className="mt-3 text-sm text-ink-2">
          Reviewers look up the EIN in IRS records, compare the name and address, and visit the
          website.
        </p>
      </div>
    </details>
  )
}

function joined(parts: readonly string[], by = ', '): string {
  return parts.filter((part) => part.trim() !== '').join(by)
}
