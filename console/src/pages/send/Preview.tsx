// A preview on a phone: the text as it will be sent, including characters that the service simplifies.

import { Image } from 'lucide-react'
import { formatPhone } from '../../lib/format'

interface PreviewProps {
  body: string
  isWritten: boolean
  from: string
  media: readonly string[]
}

export function Preview({ body, isWritten, from, media }: PreviewProps) {
  return (
    <section
      aria-label="Preview"
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 lg:sticky lg:top-10"
    >
      <h2 className="text-sm font-medium text-ink-2">Preview</h2>
      <div className="flex min-h-40 flex-col gap-2 rounded-lg bg-sunken p-3">
        <p className="text-center text-xs text-ink-2">{from ? formatPhone(from) : 'Your number'}</p>
        {media.length > 0 ? (
          <p className="flex items-center gap-1.5 self-start rounded-lg bg-bubble-in px-3 py-1.5 text-ink-2">
            <Image size={16} aria-hidden="true" />
            {media.length === 1 ? 'Media' : `${media.length} media files`}
          </p>
        ) : null}
        {isWritten ? (
          <p
            dir="auto"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
            tabIndex={0}
            className="max-h-80 max-w-[90%] self-start overflow-y-auto rounded-lg bg-bubble-in px-3 py-1.5 wrap-anywhere whitespace-pre-wrap"
          >
            {body}
          </p>
        ) : (
          <p className="m-auto text-ink-2">Your message appears here</p>
        )}
      </div>
    </section>
  )
}
