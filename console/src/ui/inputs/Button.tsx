// Buttons. A page has one filled button. Its label is a verb with the price if money moves.

import { Link, type LinkProps } from '@tanstack/react-router'
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { useSession } from '../../api/session'

type Look = 'filled' | 'plain' | 'quiet' | 'danger'

const LOOKS: Record<Look, string> = {
  filled:
    'bg-accent text-on-accent hover:bg-accent-hover aria-disabled:bg-hover aria-disabled:text-ink-off',
  plain:
    'border border-line-strong bg-surface text-ink hover:bg-hover aria-disabled:text-ink-off aria-disabled:border-line',
  quiet: 'text-accent-ink hover:bg-hover aria-disabled:text-ink-off',
  danger:
    'bg-danger text-on-danger hover:bg-danger-hover aria-disabled:bg-hover aria-disabled:text-ink-off',
}
const SHAPE =
  'inline-flex min-h-8 pointer-coarse:min-h-11 items-center justify-center gap-1.5 rounded-md px-3 text-base font-medium whitespace-nowrap transition-colors duration-120 cursor-pointer aria-disabled:cursor-not-allowed'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  /** Replaces the label while the request is in progress. The width stays. */
  busy?: string | false
  /** Why it cannot be pressed. Shown next to it, so the button stays reachable by keyboard. */
  blocked?: string | false | null
  children: ReactNode
}

export function Button({ look = 'plain', busy, blocked, children, onClick, ...rest }: ButtonProps) {
  const isOff = Boolean(busy || blocked)
  return (
    <button
      type="button"
      {...rest}
      className={`${SHAPE} ${LOOKS[look]} ${rest.className ?? ''}`}
      aria-disabled={isOff || undefined}
      title={blocked || rest.title}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy ? (
        <span className="grid">
          <span className="invisible col-start-1 row-start-1">{children}</span>
          <span className="col-start-1 row-start-1">{busy}</span>
        </span>
      ) : (
        children
      )}
    </button>
  )
}

/** A link to the first-run steps, if they are available. */
export function StartLink({ children }: { children: ReactNode }) {
  const { mode } = useSession()
  if (mode !== 'sandbox') return null
  return (
    <ButtonLink look="filled" to="/start">
      {children}
    </ButtonLink>
  )
}

export function ButtonLink({
  look = 'plain',
  children,
  ...link
}: LinkProps & { look?: Look; children: ReactNode; ref?: Ref<HTMLAnchorElement> }) {
  return (
    <Link {...link} className={`${SHAPE} ${LOOKS[look]}`}>
      {children}
    </Link>
  )
}
