// Where a file is dropped or chosen, and what it should contain.

import { FileUp } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { Button } from '../../../ui/inputs/Button'
import { openFile } from './batch'

const EXAMPLE = `to,body,metadata.order
(415) 555-0100,"Hi Ana, your table is set.",1042
415-555-0171,See you at 8.,1043`

export function DropZone() {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file) void openFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={`flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-10 text-center ${
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-surface'
      }`}
    >
      <FileUp size={24} aria-hidden="true" className="text-ink-2" />
      <p className="text-lg font-semibold">Drop a CSV file here</p>
      <ChooseFile look="filled" />
      <p className="max-w-120 text-ink-2">
        Columns <Name>to</Name> and <Name>body</Name>, optionally <Name>from</Name> and{' '}
        <Name>metadata.…</Name>. You can map other column names, or write one text for all rows, in
        the next step. Up to 100,000 rows and 50 MB.
      </p>
      <pre className="max-w-full overflow-x-auto rounded-md bg-sunken p-3 text-left font-mono text-sm whitespace-pre-wrap wrap-anywhere">
        {EXAMPLE}
      </pre>
      <p className="text-sm text-ink-2">Nothing is sent until you press Send.</p>
    </div>
  )
}

function Name({ children }: { children: string }) {
  return <code className="font-mono text-sm">{children}</code>
}

export function ChooseFile({
  look,
  label = 'Choose file',
}: {
  look: 'filled' | 'plain'
  label?: string
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        aria-label="CSV file"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        className="hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) void openFile(file)
          target.value = '' // the same file can be chosen again
        }}
      />
      <Button look={look} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  )
}
