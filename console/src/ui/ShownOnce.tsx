// A secret that is shown once and never again: the dialog closes when somebody has said that it is kept.

import { useState } from 'react'
import { Button } from './Button'
import { CodeBlock } from './CodeBlock'
import { Dialog } from './Dialog'
import { Checkbox } from './Field'

interface ShownOnceProps {
  title: string
  /** What it is for and where it belongs. */
  help: string
  value: string
  onClose: () => void
}

export function ShownOnce({ title, help, value, onClose }: ShownOnceProps) {
  const [isSaved, setSaved] = useState(false)
  return (
    <Dialog
      title={title}
      onClose={() => isSaved && onClose()}
      actions={
        <Button
          look="filled"
          onClick={onClose}
          blocked={!isSaved && 'Say first that you have saved it'}
        >
          Done
        </Button>
      }
    >
      <p className="text-ink-2">{help} It is shown once: nobody can read it later.</p>
      <CodeBlock text={value} label={title} />
      <Checkbox label="I have saved it" isChecked={isSaved} onChange={setSaved} />
    </Dialog>
  )
}
