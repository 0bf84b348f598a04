// What the service reports about one field of a form, as a sentence.

import { ApiFailure } from '../api/request'

/** Null if the failure is about something else. */
export function fieldProblem(error: Error | null, field: string): string | null {
  if (!(error instanceof ApiFailure)) return null
  const found = error.details.find((detail) => detail.field === field)
  return found ? `It ${found.problem}.` : null
}
