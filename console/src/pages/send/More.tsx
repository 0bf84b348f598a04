// Optional fields of a message: media, metadata, validity.

import { ImagePlus, Plus, X } from 'lucide-react'
import type { Dispatch } from 'react'
import { plural } from '../../lib/format'
import { useUpload } from '../../lib/use-upload'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { Field, Input, Select } from '../../ui/inputs/Field'
import { FileButton } from '../../ui/inputs/FileButton'
import type { Fields } from './fields'

const MEDIA_MAX = 10
const PAIRS_MAX = 50
const VALIDITIES = [
  { value: '', label: '4 hours (default)' },
  { value: '300', label: '5 minutes' },
  { value: '1800', label: '30 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '7200', label: '2 hours' },
]

interface MoreProps {
  fields: Fields
  errorOf: (field: string) => string | null
  set: Dispatch<Partial<Fields>>
}

export function More(props: MoreProps) {
  const { media, pairs, validity } = props.fields
  const used = [
    media.length > 0 && plural(media.length, 'media file'),
    pairs.length > 0 && plural(pairs.length, 'metadata field'),
    validity && 'validity',
  ].filter(Boolean)
  return (
    <details open={used.length > 0 || undefined} className="group">
      <summary className="min-h-8 cursor-pointer py-1 font-medium text-accent-ink pointer-coarse:min-h-11">
        More{used.length > 0 ? `: ${used.join(', ')}` : ' options: media, metadata, validity'}
      </summary>
      <div className="mt-2 flex flex-col gap-4">
        <Media {...props} />
        <Metadata {...props} />
        <Field
          label="Valid for"
          help="After this time, an unsent message expires and is refunded."
          error={props.errorOf('validitySeconds')}
        >
          {(tied) => (
            <Select
              {...tied}
              className="max-w-60"
              value={validity}
              options={VALIDITIES}
              onChange={(event) => props.set({ validity: event.target.value })}
            />
          )}
        </Field>
      </div>
    </details>
  )
}

function Media({ fields: { media }, errorOf, set }: MoreProps) {
  const change = (index: number, url: string) =>
    set({ media: media.map((one, i) => (i === index ? url : one)) })
  const upload = useUpload((url) => set({ media: [...media, url] }))
  return (
    <div className="flex flex-col gap-2">
      {media.map((url, i) => (
        <div key={String(i)} className="flex items-end gap-1">
          <div className="min-w-0 flex-1">
            <Field label={`Media URL ${i + 1}`} error={errorOf(`mediaUrls[${i}]`)}>
              {(tied) => (
                <Input
                  {...tied}
                  type="url"
                  maxLength={2000}
                  placeholder="https://"
                  value={url}
                  onChange={(event) => change(i, event.target.value)}
                />
              )}
            </Field>
          </div>
          <RemoveButton
            label={`Remove media URL ${i + 1}`}
            onClick={() => set({ media: media.filter((_, other) => other !== i) })}
          />
        </div>
      ))}
      {upload.error ? <ErrorNotice error={upload.error} isAnswer /> : null}
      {media.length < MEDIA_MAX ? (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <FileButton
            label={upload.isBusy ? 'Uploading…' : 'Upload file'}
            accept="image/*,audio/*,video/*"
            onFile={upload.run}
            blocked={upload.isBusy && 'Wait for the upload'}
            isNamed
          >
            <ImagePlus size={14} aria-hidden="true" />
          </FileButton>
          <AddButton
            label="Add media"
            help="URL of an image, audio, or video file, up to 10 MB. Makes the message an MMS."
            onClick={() => set({ media: [...media, ''] })}
          />
        </div>
      ) : null}
    </div>
  )
}

function Metadata({ fields: { pairs }, errorOf, set }: MoreProps) {
  const change = (index: number, part: Partial<{ name: string; value: string }>) =>
    set({ pairs: pairs.map((pair, i) => (i === index ? { ...pair, ...part } : pair)) })
  return (
    <div className="flex flex-col gap-2">
      {pairs.map(({ name, value }, i) => (
        <div key={String(i)} className="flex items-end gap-1">
          <div className="grid min-w-0 flex-1 grid-cols-2 gap-2">
            <Field
              label={`Name ${i + 1}`}
              error={errorOf(`metadata.${name}`) ?? errorOf('metadata')}
            >
              {(tied) => (
                <Input
                  {...tied}
                  maxLength={64}
                  value={name}
                  onChange={(event) => change(i, { name: event.target.value })}
                />
              )}
            </Field>
            <Field label={`Value ${i + 1}`}>
              {(tied) => (
                <Input
                  {...tied}
                  maxLength={512}
                  value={value}
                  onChange={(event) => change(i, { value: event.target.value })}
                />
              )}
            </Field>
          </div>
          <RemoveButton
            label={`Remove metadata ${i + 1}`}
            onClick={() => set({ pairs: pairs.filter((_, other) => other !== i) })}
          />
        </div>
      ))}
      {pairs.length < PAIRS_MAX ? (
        <AddButton
          label="Add metadata"
          help="Returned with the message and in webhook events, for example order 1042."
          onClick={() => set({ pairs: [...pairs, { name: '', value: '' }] })}
        />
      ) : null}
    </div>
  )
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button look="quiet" aria-label={label} onClick={onClick}>
      <X size={16} aria-hidden="true" />
    </Button>
  )
}

interface AddProps {
  label: string
  help: string
  onClick: () => void
}

function AddButton({ label, help, onClick }: AddProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button onClick={onClick}>
        <Plus size={14} aria-hidden="true" />
        {label}
      </Button>
      <span className="text-sm text-ink-2">{help}</span>
    </div>
  )
}
