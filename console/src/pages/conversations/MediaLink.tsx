// A file of a message. Pictures that this service stores are shown. Media on other hosts is not loaded until someone
// opens it.

import { Paperclip } from 'lucide-react'
import { useState } from 'react'

const STORED = /^\/media\/acc_[^?#]*\.(?:jpe?g|png|gif|webp)$/

/** The path of a picture that this service stores. Null for every other file. */
export function picturePath(url: string): string | null {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  return STORED.test(path) ? path : null
}

export function MediaLink({ url }: { url: string }) {
  const [isBroken, setBroken] = useState(false)
  const path = isBroken ? null : picturePath(url)
  return (
    <a
      href={path ?? url}
      target="_blank"
      rel="noreferrer noopener"
      className="mt-1 flex items-center gap-1 text-sm underline"
    >
      {path ? (
        <img
          src={path}
          alt="Attachment"
          loading="lazy"
          onError={() => setBroken(true)}
          className="size-40 rounded-md object-cover"
        />
      ) : (
        <>
          <Paperclip size={14} aria-hidden="true" className="shrink-0" />
          <span className="min-w-0 wrap-anywhere">{fileName(url)}</span>
        </>
      )}
    </a>
  )
}

function fileName(url: string): string {
  return url.split(/[?#]/)[0]!.split('/').at(-1) || url
}
