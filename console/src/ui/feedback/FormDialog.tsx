// A dialog with a form: Cancel, one button that submits, and what went wrong. Enter in a field submits it too.

import { type FormEvent, type ReactNode, useId } from 'react'
import { Button } from '../inputs/Button'
import { Dialog } from './Dialog'
import { ErrorNotice } from './Notice'

interface FormDialogProps {
  title: string
  /** The label of the button: a verb. */
  verb: string
  busy: string | false
  /** What is missing; false: nothing. */
  blocked: string | false
  error: Error | null
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

export function FormDialog(props: FormDialogProps) {
  const { title, verb, busy, blocked, error, onClose, children } = props
  const form = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (blocked === false) props.onSubmit()
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="filled" type="submit" form={form} busy={busy} blocked={blocked}>
            {verb}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {error ? <ErrorNotice error={error} isAnswer /> : null}
      </form>
    </Dialog>
  )
}
