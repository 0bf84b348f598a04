// The end of a form that a reviewer reads: notes not addressed yet, the API's errors, the buttons.

import type { ReactNode } from 'react'
import { ApiFailure } from '../../api/request'
import { plural } from '../../lib/format'
import { ErrorNotice, Notice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'
import { FieldLink } from './fields'
import type { Form } from './use-form'

interface FormEndProps<Values extends object> {
  form: Form<Values>
  labels: Record<string, string>
  onAnyway: () => void
  error: Error | null
  /** What to do about the failure, if the default hint is not enough. */
  hint?: ReactNode
  /** Shown below the buttons: the cost. */
  after?: ReactNode
  children: ReactNode
}

export function FormEnd<Values extends object>(props: FormEndProps<Values>) {
  const { form, labels, onAnyway, error, hint, after, children } = props
  const isOfFields = error instanceof ApiFailure && error.details.length > 0
  const fields = [...new Set(form.openNotes.map(({ field }) => field))]
  return (
    <div className="flex flex-col gap-3">
      {error && !isOfFields ? <ErrorNotice error={error} hint={hint} isAnswer /> : null}
      {fields.length > 0 ? (
        <Notice tone="warn" title={`${plural(form.openNotes.length, 'note')} not addressed yet`}>
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {fields.map((field) =>
              field in form.values ? (
                <FieldLink key={field} name={field}>
                  {labels[field] ?? field}
                </FieldLink>
              ) : (
                <span key={field}>{labels[field] ?? field}</span>
              ),
            )}
            <Button onClick={onAnyway}>Resubmit anyway</Button>
          </p>
        </Notice>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">{children}</div>
      {after}
    </div>
  )
}
