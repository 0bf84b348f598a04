// What someone typed into a form, saved in this browser for this account until it is submitted, so a closed tab,
// an ended session, or a failed request loses nothing. Never for secrets.

import { useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session'

const GATHER_MS = 200

export interface Draft {
  /** The form differs from its initial values and is saved. */
  isKept: boolean
  /** Discards the draft and starts over. */
  clear: () => void
}

/** The form's name identifies what is edited: `brand-new`, or `brand-` and its id. */
export function useDraft<Fields extends object>(
  name: string,
  initial: Fields,
): [Fields, (fields: Fields) => void, Draft] {
  const { account, operator } = useSession()
  const place = `longcode:draft:${account?.accountId ?? operator?.name ?? ''}:${name}`
  const [fields, setFields] = useState<Fields>(() => ({ ...initial, ...read(place) }))
  const beginning = useRef(JSON.stringify(initial))
  const text = JSON.stringify(fields)
  const isKept = text !== beginning.current
  useEffect(() => {
    const timer = setTimeout(() => keep(place, isKept ? text : null), GATHER_MS)
    return () => clearTimeout(timer)
  }, [place, text, isKept])
  const clear = () => {
    keep(place, null)
    setFields(JSON.parse(beginning.current))
  }
  return [fields, setFields, { isKept, clear }]
}

// Storage can be unavailable (private window, full). The form works without it.
function read(place: string): object {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '{}')
  } catch {
    return {}
  }
}

function keep(place: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(place)
    else localStorage.setItem(place, text)
  } catch {
    // Without storage there is nothing to save.
  }
}
