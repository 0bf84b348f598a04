// Keeps the scroll position: at the end, a thread follows new messages. Anywhere else nothing moves, whether older
// messages load above or a newer one arrives below.

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR_PX = 24

interface Place {
  isAtEnd: boolean
  anchor: { element: Element; top: number } | null
}

export interface KeptPlace {
  box: RefObject<HTMLDivElement | null>
  isAtEnd: boolean
  toEnd: () => void
  /** Call when the box is scrolled. */
  note: () => void
}

export function useKeptPlace(): KeptPlace {
  const box = useRef<HTMLDivElement>(null)
  const place = useRef<Place>({ isAtEnd: true, anchor: null })
  const [isAtEnd, setAtEnd] = useState(true)

  const note = () => {
    if (!box.current) return
    place.current = placeOf(box.current)
    setAtEnd(place.current.isAtEnd)
  }
  const keep = () => {
    const { current } = box
    if (!current) return
    const { isAtEnd: wasAtEnd, anchor } = place.current
    if (wasAtEnd) current.scrollTop = current.scrollHeight
    else if (anchor?.element.isConnected) {
      current.scrollTop += topOf(anchor.element, current) - anchor.top
    }
  }
  // After every render, whatever changed.
  useLayoutEffect(keep)
  useEffect(() => {
    const { current } = box
    if (!current) return
    const observer = new ResizeObserver(() => {
      if (place.current.isAtEnd) current.scrollTop = current.scrollHeight
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  const toEnd = () => {
    place.current = { isAtEnd: true, anchor: null }
    setAtEnd(true)
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }
  return { box, isAtEnd, toEnd, note }
}

function placeOf(box: HTMLElement): Place {
  const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX
  if (isAtEnd) return { isAtEnd, anchor: null }
  const items = [...(box.querySelector('ol') ?? box).children]
  const element = items.find((one) => topOf(one, box) + one.clientHeight > 0)
  return { isAtEnd, anchor: element ? { element, top: topOf(element, box) } : null }
}

function topOf(element: Element, box: HTMLElement): number {
  return element.getBoundingClientRect().top - box.getBoundingClientRect().top
}
