// The brand form: one page, free. A reviewer's notes are next to their fields, and open notes are listed above
// the button.

import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Brand } from '../../../generated/types.gen'
import { brandQuery } from '../../api/registry-queries'
import { request } from '../../api/request'
import { useSession } from '../../api/session'
import { plural } from '../../lib/format'
import { useAct } from '../../lib/use-act'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Badge } from '../../ui/display/Badge'
import { brandState } from '../../ui/display/states'
import { Notice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Page } from '../../ui/layout/Page'
import { FormEnd } from '../registry/FormEnd'
import { ProblemList } from '../registry/fields'
import { NoteList } from '../registry/NoteList'
import { type Form, useForm } from '../registry/use-form'
import { EXAMPLE_BRAND } from '../start/example'
import { BrandFields } from './BrandFields'
import {
  BLANK_BRAND,
  BRAND_LABELS,
  type BrandValues,
  brandBody,
  brandProblems,
  draftProblems,
  normalizePhone,
  valuesOfBrand,
} from './brand-values'

const { entityType: _, ...EXAMPLE_TEXTS } = EXAMPLE_BRAND
const EXAMPLE: BrandValues = { ...EXAMPLE_TEXTS, phone: normalizePhone(EXAMPLE_BRAND.phone) }

/** Fields that are not required stay empty. */
function exampleFor(asks: readonly string[]): BrandValues {
  const { termsLink, vertical } = EXAMPLE
  return {
    ...EXAMPLE,
    termsLink: asks.includes('termsLink') ? termsLink : '',
    vertical: asks.includes('vertical') ? vertical : '',
  }
}

const submitBrand = async (key: string, brand: Brand | null, values: BrandValues) => {
  const body = brandBody(values)
  if (!brand) {
    return request('POST /v1/brand/create', { body, key })
  }
  // Updating twice has the same effect as once. Only the submission needs the key.
  await request('PATCH /v1/brand/{id}', { path: { id: brand.id }, body })
  return request('POST /v1/brand/{id}/submit', { path: { id: brand.id }, key })
}

const saveBrand = (key: string, brand: Brand | null, values: BrandValues) => {
  const body = brandBody(values)
  return brand
    ? request('PATCH /v1/brand/{id}', { path: { id: brand.id }, body })
    : request('POST /v1/brand/draft', { body, key })
}

interface BrandFormProps {
  /** Null: a new brand. */
  brand: Brand | null
  /** Start with example data. */
  isExample?: boolean
}

export function BrandForm({ brand, isExample = false }: BrandFormProps) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const asks = useSession().asks.brand
  // Someone who comes back to the form finds what was saved, not what was read before.
  const open = (brand: Brand) => {
    client.setQueryData(brandQuery(brand.id).queryKey, { brand })
    void navigate({ to: '/brands/$id', params: { id: brand.id } })
  }
  const submit = useAct((key, values: BrandValues) => submitBrand(key, brand, values), {
    onDone: (reply) => {
      form.clear()
      open(reply.brand)
    },
  })
  const save = useAct((key, values: BrandValues) => saveBrand(key, brand, values), {
    onDone: (reply) => {
      form.draft.clear()
      open(reply.brand)
    },
  })
  const form = useForm({
    name: brand ? `brand-${brand.id}` : 'brand-new',
    initial: brand ? valuesOfBrand(brand) : isExample ? exampleFor(asks) : BLANK_BRAND,
    notes: brand?.reviewNotes ?? [],
    labels: BRAND_LABELS,
    findProblems: (values) => brandProblems(values, asks),
    failure: submit.error ?? save.error,
  })
  const press = (event: FormEvent) => {
    event.preventDefault()
    save.reset()
    if (form.check()) submit.run(form.values)
  }
  const keep = () => {
    submit.reset()
    if (form.check(draftProblems)) save.run(form.values)
  }
  return (
    <Page
      title={brand ? brand.displayName || 'Untitled brand' : 'New brand'}
      meta={brand ? <Badge state={brandState(brand)} /> : null}
      actions={<Actions form={form} brand={brand} />}
    >
      <form noValidate onSubmit={press} className="flex max-w-220 flex-col gap-4">
        {brand && brand.reviewNotes.length > 0 ? (
          <Notice
            tone="warn"
            title={`${plural(brand.reviewNotes.length, 'note')} from the reviewer`}
          >
            Change the marked fields, then resubmit.
            <NoteList
              notes={brand.reviewNotes.filter(({ field }) => !(field in form.values))}
              labels={BRAND_LABELS}
            />
          </Notice>
        ) : null}
        <ProblemList problems={form.problems} attempts={form.attempts} />
        <BrandFields form={form} asks={asks} />
        <FormEnd
          form={form}
          labels={BRAND_LABELS}
          onAnyway={() => form.check() && submit.run(form.values)}
          error={submit.error ?? save.error}
        >
          <Button onClick={keep} busy={save.isBusy && 'Saving…'}>
            Save draft
          </Button>
          <Button
            look="filled"
            type="submit"
            busy={submit.isBusy && 'Submitting…'}
            blocked={
              form.openNotes.length > 0 &&
              `${plural(form.openNotes.length, 'note')} not addressed yet`
            }
          >
            {verbOf(brand)} · free
          </Button>
        </FormEnd>
      </form>
    </Page>
  )
}

function verbOf(brand: Brand | null): string {
  if (!brand) return 'Create brand'
  return brand.status === 'UNVERIFIED' ? 'Resubmit brand' : 'Submit brand'
}

function Actions({ form, brand }: { form: Form<BrandValues>; brand: Brand | null }) {
  const { mode, asks } = useSession()
  const body = brandBody(form.values)
  return (
    <>
      {form.draft.isKept ? (
        <span className="text-sm text-ink-2">Draft saved in this browser</span>
      ) : null}
      {!brand && mode === 'sandbox' ? (
        <Button onClick={() => form.set(exampleFor(asks.brand))}>Fill with example data</Button>
      ) : null}
      <ApiRequestButton
        request={
          brand
            ? { method: 'PATCH', path: `/v1/brand/${brand.id}`, body }
            : { method: 'POST', path: '/v1/brand/create', body }
        }
      />
    </>
  )
}
