// Keyboard shortcuts of the inbox. e and a act on the focused row, or on the open conversation.

import type { RefObject } from 'react'
import { useKeys } from '../../../lib/use-keys'
import { keyOf, type ThreadKey } from '../use-conversation'

interface Acts {
  /** Null: this person changes nothing. */
  close: ((key: ThreadKey) => void) | null
  assignToMe: ((key: ThreadKey) => void) | null
}

export function useListKeys(
  place: RefObject<HTMLElement | null>,
  open: ThreadKey | null,
  { close, assignToMe }: Acts,
): void {
  const move = (step: number) => () => {
    const links = [...(place.current?.querySelectorAll<HTMLElement>('li a') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const current = links.findIndex((link) => link.getAttribute('aria-current') === 'page')
    const next = (at < 0 ? current : at) + step
    links[Math.max(0, Math.min(links.length - 1, next))]?.focus()
  }
  // Elsewhere, such as in the thread, arrows scroll.
  const moveInList = (step: number) => (event: KeyboardEvent) => {
    if (!place.current?.contains(document.activeElement)) return
    event.preventDefault()
    move(step)()
  }
  const actOn = (act: Acts['close']) => () => {
    const focused = focusedIn(place.current)
    const key = focused ?? open
    if (key) act?.(key)
    return focused
  }
  const closeOne = () => {
    const focused = actOn(close)()
    // Its row may leave the view. The open one stays.
    const isOpen = focused && open && keyOf(focused) === keyOf(open)
    if (close && focused && !isOpen) move(isLast(place.current) ? -1 : 1)()
  }
  useKeys({
    j: move(1),
    k: move(-1),
    ArrowDown: moveInList(1),
    ArrowUp: moveInList(-1),
    e: closeOne,
    a: actOn(assignToMe),
    '/': (event) => {
      event.preventDefault()
      place.current?.querySelector('input')?.focus()
    },
  })
}

function focusedIn(place: HTMLElement | null): ThreadKey | null {
  const { activeElement } = document
  if (!(activeElement instanceof HTMLElement) || !place?.contains(activeElement)) return null
  const { campaign, phone } = activeElement.dataset
  return campaign && phone ? { campaignId: campaign, phone } : null
}

function isLast(place: HTMLElement | null): boolean {
  return [...(place?.querySelectorAll('li a') ?? [])].at(-1) === document.activeElement
}
