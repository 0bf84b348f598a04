// What a reseller's customer sees instead of our name and mark: name, color, logo, and support address.

import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Branding } from '../../../../generated/types.gen'
import { accountBrandingQuery } from '../../../api/operator-queries'
import { ApiFailure, request } from '../../../api/request'
import { useAct } from '../../../lib/use-act'
import { ApiRequestButton } from '../../../ui/display/ApiRequest'
import { ErrorNotice } from '../../../ui/feedback/Notice'
import { toast } from '../../../ui/feedback/Toast'
import { Button } from '../../../ui/inputs/Button'
import { Field, Input } from '../../../ui/inputs/Field'
import { Skeleton } from '../../../ui/layout/Page'

export function BrandingCard({ accountId }: { accountId: string }) {
  const { data, error, refetch } = useQuery(accountBrandingQuery(accountId))
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={4} />
  const { branding } = data
  return <BrandingForm key={JSON.stringify(branding)} id={accountId} branding={branding} />
}

/** As large as the service accepts. */
const LOGO_BYTES_MAX = 128 * 1024

function BrandingForm({ id, branding }: { id: string; branding: Branding }) {
  const [fields, setFields] = useState({
    name: branding.name ?? '',
    color: branding.color ?? '',
    support: branding.support ?? '',
  })
  /** Undefined: unchanged. Null: removed. */
  const [logo, setLogo] = useState<string | null | undefined>(undefined)
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const texts = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, text.trim() || null]),
  )
  const body = { ...texts, ...(logo !== undefined && { logo }) }
  const save = useAct(
    (key) => request('PUT /operator/v1/account/{id}/branding', { path: { id }, body, key }),
    { onDone: () => toast('Saved') },
  )
  const details = save.error instanceof ApiFailure ? save.error.details : []
  const problemOf = (name: string) => details.find(({ field }) => field === name)?.problem
  const choose = async (file: File | undefined) => {
    setFileProblem(null)
    if (!file) return setLogo(undefined)
    if (file.size > LOGO_BYTES_MAX) return setFileProblem('must be at most 128 KiB')
    setLogo(await base64Of(file))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fileProblem) save.run()
  }
  const field = (name: keyof typeof fields, label: string, help: string, maxLength: number) => (
    <Field label={label} isOptional help={help} error={problemOf(name)}>
      {(tied) => (
        <Input
          {...tied}
          maxLength={maxLength}
          value={fields[name]}
          onChange={({ target }) => setFields({ ...fields, [name]: target.value })}
        />
      )}
    </Field>
  )
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Preview branding={branding} />
      {field('name', 'Name', 'Instead of the installation’s name.', 40)}
      {field('color', 'Color', 'For buttons, such as #006972. Text on it is black or white.', 7)}
      {field('support', 'Support address', 'An email address or an https URL.', 200)}
      <Field
        label="Logo"
        isOptional
        help="PNG, JPEG, or WebP, at most 128 KiB."
        error={fileProblem ?? problemOf('logo')}
      >
        {(tied) => (
          <input
            {...tied}
            type="file"
            accept="image/png,image/jpeg,image/webp"
            className="max-w-full text-sm file:mr-2 file:min-h-8 file:cursor-pointer file:rounded-md file:border file:border-line-strong file:px-3"
            onChange={({ target }) => void choose(target.files?.[0])}
          />
        )}
      </Field>
      {save.error && details.length === 0 ? <ErrorNotice error={save.error} isAnswer /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={save.isBusy && 'Saving…'}>
          Save branding
        </Button>
        {branding.logoUrl && logo !== null ? (
          <Button look="quiet" onClick={() => setLogo(null)}>
            Remove logo
          </Button>
        ) : null}
        <ApiRequestButton
          request={{ method: 'PUT', path: `/operator/v1/account/${id}/branding`, body: texts }}
        />
      </div>
    </form>
  )
}

/** As it was saved. The service chose the color of the text. */
function Preview({ branding: { name, color, textColor, logoUrl } }: { branding: Branding }) {
  if (!name && !color && !logoUrl) return null
  return (
    <p className="flex items-center gap-2">
      {logoUrl ? <img src={logoUrl} alt="Logo" width={28} height={28} /> : null}
      <span
        className="rounded-md px-3 py-1 font-medium"
        ref={(element) => {
          // The security policy allows no style attributes.
          element?.style.setProperty('background-color', color ?? 'transparent')
          element?.style.setProperty('color', textColor ?? 'inherit')
        }}
      >
        {name ?? 'Button'}
      </span>
    </p>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
