// A secret: masked except for its end, shown for 30 seconds, copied without being shown.

import { Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CopyButton } from './Copy'

const SHOWN_MS = 30_000

export function SecretField({ label, value }: { label: string; value: string }) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  const Icon = isShown ? EyeOff : Eye
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span className="min-w-0 font-mono text-sm wrap-anywhere">
        {isShown ? value : `••••••••${value.slice(-4)}`}
      </span>
      <button
        type="button"
        onClick={() => setShown(!isShown)}
        aria-pressed={isShown}
        aria-label={`Show ${label}`}
        className="inline-flex size-6 shrink-0 cursor-pointer items-center justify-center rounded-sm text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <Icon size={14} aria-hidden="true" />
      </button>
      <CopyButton text={value} label={label} />
    </span>
  )
}
