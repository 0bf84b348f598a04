// Longcode was updated while this page was open. Shown after a reconnect and never reloaded automatically, because
// someone may be writing.

import { useEffect, useState } from 'react'
import { useStreamState } from '../../api/stream'
import { Button } from '../inputs/Button'

export function UpdateNotice() {
  const { kind } = useStreamState()
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    if (kind === 'live') void isServedNow().then((isServed) => setOld(!isServed))
  }, [kind])
  if (!isOld) return null
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 bg-go-soft px-4 py-2 text-go-ink sm:px-6"
    >
      Longcode was updated.
      <Button onClick={() => location.reload()}>Reload</Button>
    </div>
  )
}

/** Whether the served page still names the script that runs here. */
async function isServedNow(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  const page = await fetch('/console/').then(
    (response) => (response.ok ? response.text() : null),
    () => null, // offline after all: checked again after the next reconnect
  )
  return !script || page === null || page.includes(new URL(script.src).pathname)
}
