// The pictures of a message that is being written.

import { Paperclip, X } from 'lucide-react'
import { picturePath } from '../MediaLink'

interface PicturesProps {
  urls: readonly string[]
  isUploading: boolean
  onRemove: (url: string) => void
}

export function Pictures({ urls, isUploading, onRemove }: PicturesProps) {
  if (urls.length === 0 && !isUploading) return null
  return (
    <ul aria-label="Pictures" className="flex flex-wrap gap-2">
      {urls.map((url, i) => (
        <li key={url} className="relative">
          <Tile url={url} label={`Attachment ${i + 1}`} />
          <button
            type="button"
            onClick={() => onRemove(url)}
            aria-label={`Remove attachment ${i + 1}`}
            className="absolute -top-2 -right-2 inline-flex size-6 cursor-pointer items-center justify-center rounded-full border border-line bg-raised text-ink-2 shadow-pop hover:text-ink pointer-coarse:size-8"
          >
            <X size={14} aria-hidden="true" />
          </button>
        </li>
      ))}
      {isUploading ? (
        <li
          role="status"
          className="flex size-16 items-center justify-center rounded-md border border-dashed border-line-strong text-center text-xs text-ink-2"
        >
          Uploading…
        </li>
      ) : null}
    </ul>
  )
}

function Tile({ url, label }: { url: string; label: string }) {
  const path = picturePath(url)
  const shape = 'size-16 rounded-md border border-line bg-hover'
  if (path) return <img src={path} alt={label} className={`${shape} object-cover`} />
  return (
    <span className={`flex items-center justify-center text-ink-2 ${shape}`}>
      <Paperclip size={20} aria-hidden="true" />
      <span className="sr-only">{label}</span>
    </span>
  )
}
