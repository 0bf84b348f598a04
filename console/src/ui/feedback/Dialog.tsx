// Dialogs, and confirmations of actions that cost or end something. The strongest kind requires typing what will be
// lost.

import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from '../inputs/Button'
import { Field, Input } from '../inputs/Field'
import { ErrorNotice } from './Notice'

const BACKDROP = 'fixed inset-0 bg-sunken/70'
const POPUP =
  'fixed top-1/2 left-1/2 flex max-h-[calc(100dvh-2rem)] w-[min(100vw-2rem,var(--width))] -translate-x-1/2 -translate-y-1/2 flex-col gap-3 overflow-y-auto rounded-lg border border-line bg-raised p-4 shadow-dialog sm:p-6'

interface DialogProps {
  title: string
  onClose: () => void
  actions?: ReactNode
  /** For code and tables. */
  isWide?: boolean
  children: ReactNode
}

export function Dialog({ title, onClose, actions, isWide, children }: DialogProps) {
  return (
    <BaseDialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={BACKDROP} />
        <BaseDialog.Popup className={`${POPUP} ${isWide ? '[--width:48rem]' : '[--width:30rem]'}`}>
          <div className="flex items-start gap-2">
            <BaseDialog.Title className="min-w-0 flex-1 text-lg font-semibold wrap-anywhere">
              {title}
            </BaseDialog.Title>
            <BaseDialog.Close
              aria-label="Close"
              className="-mt-1 -mr-2 inline-flex size-8 shrink-0 cursor-pointer items-center justify-center rounded-md text-ink-2 hover:bg-hover pointer-coarse:size-11"
            >
              <X size={16} aria-hidden="true" />
            </BaseDialog.Close>
          </div>
          {children}
          {actions ? <div className="flex flex-wrap justify-end gap-2">{actions}</div> : null}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

interface ConfirmProps {
  title: string
  /** What will happen, in one sentence. */
  consequence: ReactNode
  /** The button label: the verb and, if money moves, the price. Never "OK". */
  verb: string
  busy?: string | false
  isDanger?: boolean
  /** What must be typed first: the last four digits or the name. */
  typed?: string
  typedLabel?: string
  error?: Error | null
  /** More fields, such as a reason. */
  children?: ReactNode
  blocked?: string | false | null
  onConfirm: () => void
  onClose: () => void
}

export function Confirm(props: ConfirmProps) {
  const { title, consequence, verb, busy, isDanger, typed, error, children, onConfirm } = props
  const [text, setText] = useState('')
  const isTyped = typed === undefined || text.trim() === typed
  const blocked = props.blocked || (!isTyped && `Type ${typed} first`)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!blocked && !busy) onConfirm()
  }
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => isOpen || busy || props.onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={`${POPUP} [--width:28rem]`}>
          <form onSubmit={submit} className="flex flex-col gap-3">
            <AlertDialog.Title className="text-lg font-semibold wrap-anywhere">
              {title}
            </AlertDialog.Title>
            <AlertDialog.Description className="text-ink-2" render={<div />}>
              {consequence}
            </AlertDialog.Description>
            {children}
            {typed === undefined ? null : (
              <Field label={props.typedLabel ?? `Type ${typed} to confirm`}>
                {(tied) => (
                  <Input
                    {...tied}
                    autoComplete="off"
                    value={text}
                    onChange={(event) => setText(event.target.value)}
                  />
                )}
              </Field>
            )}
            {error ? <ErrorNotice error={error} isAnswer /> : null}
            <div className="flex flex-wrap justify-end gap-2">
              <Button onClick={props.onClose}>Cancel</Button>
              <Button
                type="submit"
                look={isDanger ? 'danger' : 'filled'}
                busy={busy ?? false}
                blocked={blocked}
              >
                {verb}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
