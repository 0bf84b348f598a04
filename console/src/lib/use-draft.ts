// What somebody has typed into a form, kept in this browser for this account until it was sent: a closed
// tab, an ended session or a failed call lose nothing. Never for secrets.

import { useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session'

const GATHER_MS = 200

export interface Draft {
  /** Something differs from how the form began, and is kept. */
  isKept: boolean
  /** Forgets it and begins anew. */
  clear: () => void
}

/** The form's name tells apart what is edited: `brand-new`, or `brand-` and its id. */
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

// A browser may keep nothing (private windows, full): the form works all the same.
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
    // Nothing to be done, and nothing lost that was there before.
  }
}
