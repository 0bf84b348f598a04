// A person's access changed while the page was open: shows how, and continues with what is left.

import { Dialog } from '../feedback/Dialog'
import { Button } from '../inputs/Button'

export default function AccessDialog({ change }: { change: string }) {
  const leave = () => location.assign('/console/')
  return (
    <Dialog title="Your access has changed" onClose={leave}>
      <p className="mb-3 text-ink-2">{change}</p>
      <div className="flex justify-end">
        <Button look="filled" onClick={leave}>
          Continue
        </Button>
      </div>
    </Dialog>
  )
}
