// What someone typed into a form, saved in this browser for this account until it is submitted, so a closed tab,
// an ended session, or a failed request loses nothing. Signing out removes it. Never for secrets.

import { useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session'
import { draftPlace, readDraft, saveDraft } from './drafts'

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
  const isOperatorPage = location.pathname.startsWith('/console/operator')
  const owner =
    account && !isOperatorPage
      ? { accountId: account.accountId }
      : { operator: operator?.name ?? '' }
  const place = draftPlace(owner, name)
  const [fields, setFields] = useState<Fields>(() => ({ ...initial, ...readDraft(place) }))
  const beginning = useRef(JSON.stringify(initial))
  const text = JSON.stringify(fields)
  const isKept = text !== beginning.current
  useEffect(() => {
    const timer = setTimeout(() => saveDraft(place, isKept ? text : null), GATHER_MS)
    return () => clearTimeout(timer)
  }, [place, text, isKept])
  const clear = () => {
    saveDraft(place, null)
    setFields(JSON.parse(beginning.current))
  }
  return [fields, setFields, { isKept, clear }]
}
