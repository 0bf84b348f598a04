// A button that chooses a file.

import { type ReactNode, useRef } from 'react'
import { Button } from './Button'

interface FileButtonProps {
  label: string
  accept: string
  onFile: (file: File) => void
  blocked?: string | false
  /** Shows the label next to the icon. */
  isNamed?: boolean
  children: ReactNode
}

export function FileButton(props: FileButtonProps) {
  const { label, accept, onFile, blocked, isNamed, children } = props
  const field = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        look={isNamed ? 'plain' : 'quiet'}
        {...(isNamed ? {} : { className: 'px-2', 'aria-label': label, title: label })}
        blocked={blocked ?? false}
        onClick={() => field.current?.click()}
      >
        {children}
        {isNamed ? label : null}
      </Button>
      <input
        ref={field}
        type="file"
        accept={accept}
        hidden
        aria-label={label}
        onChange={({ target }) => {
          const file = target.files?.[0]
          target.value = '' // the same file can be chosen again
          if (file) onFile(file)
        }}
      />
    </>
  )
}
