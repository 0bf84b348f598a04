// Send: what will arrive, in how many segments, and for how much.

import { useSearch } from '@tanstack/react-router'
import { ComposeForm } from './send/ComposeForm'
import { SendFrame } from './send/SendFrame'

export function Send() {
  const search = useSearch({ from: '/shell/send' })
  return (
    <SendFrame>
      {(sendable) => (
        <ComposeForm key={JSON.stringify(search)} sendable={sendable} search={search} />
      )}
    </SendFrame>
  )
}
