// A secret that is shown once. The dialog closes after someone confirms that it is saved.

import { useState } from 'react'
import { CodeBlock } from '../display/CodeBlock'
import { Button } from '../inputs/Button'
import { Checkbox } from '../inputs/Field'
import { Dialog } from './Dialog'

interface ShownOnceProps {
  title: string
  /** What it is for and where to store it. */
  help: string
  value: string
  /** Whether the person who needs it gets it in another way too. */
  isOptional?: boolean
  onClose: () => void
}

export function ShownOnce({ title, help, value, isOptional = false, onClose }: ShownOnceProps) {
  const [isSaved, setSaved] = useState(isOptional)
  return (
    <Dialog
      title={title}
      onClose={() => isSaved && onClose()}
      actions={
        <Button look="filled" onClick={onClose} blocked={!isSaved && 'Confirm that you saved it'}>
          Done
        </Button>
      }
    >
      <p className="text-ink-2">{help} It is shown only once.</p>
      <CodeBlock text={value} label={title} />
      {isOptional ? null : <Checkbox label="I saved it" isChecked={isSaved} onChange={setSaved} />}
    </Dialog>
  )
}
