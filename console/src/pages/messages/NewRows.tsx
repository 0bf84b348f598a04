// Messages that arrived while someone was reading wait behind one button, which screen readers announce now and
// then.

import { ArrowUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { plural } from '../../lib/format'
import { useKeys } from '../../lib/use-keys'

const SAID_EVERY_MS = 10_000

interface NewRowsProps {
  waiting: { count: number; failed: number }
  /** There are more than were counted. */
  isMore: boolean
  onShow: () => void
}

export function NewRows({ waiting: { count, failed }, isMore, onShow }: NewRowsProps) {
  const show = () => {
    onShow()
    scrollTo({ top: 0 })
  }
  useKeys({ Home: () => count > 0 && show() })
  const words = `${isMore ? `${count}+ new messages` : plural(count, 'new message')}`
  const announcement = useAnnouncement(
    count === 0 ? '' : `${words}${failed > 0 ? `, ${plural(failed, 'failed', 'failed')}` : ''}.`,
  )
  return (
    <>
      {count > 0 ? (
        <div className="pointer-events-none sticky top-[calc(var(--strip)+0.5rem)] z-10 flex h-0 justify-center">
          <button
            type="button"
            onClick={show}
            className="pointer-events-auto inline-flex h-8 cursor-pointer items-center gap-1 rounded-md border border-line bg-raised px-3 text-sm font-medium text-accent-ink shadow-pop hover:bg-hover pointer-coarse:h-11"
          >
            <ArrowUp size={14} aria-hidden="true" />
            {words}
          </button>
        </div>
      ) : null}
      <span role="status" className="sr-only">
        {announcement}
      </span>
    </>
  )
}

/** The announcement, at most this often. */
function useAnnouncement(words: string): string {
  const [announced, setAnnounced] = useState('')
  const last = useRef(0)
  useEffect(() => {
    const wait = Math.max(0, last.current + SAID_EVERY_MS - Date.now())
    const timer = setTimeout(() => {
      last.current = Date.now()
      setAnnounced(words)
    }, wait)
    return () => clearTimeout(timer)
  }, [words])
  return announced
}
