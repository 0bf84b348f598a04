// An action that changes something. It keeps one idempotency key until it succeeds, so pressing twice, or again
// after a failure, runs it once. Each request refetches what it changed: see api/changes.ts.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

export interface Act<Input, Reply> {
  run: (input: Input) => void
  isBusy: boolean
  error: Error | null
  reply: Reply | undefined
  reset: () => void
}

export function useAct<Input = void, Reply = unknown>(
  act: (key: string, input: Input) => Promise<Reply>,
  { onDone }: { onDone?: (reply: Reply, input: Input) => void } = {},
): Act<Input, Reply> {
  const [key, setKey] = useState(newKey)
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: (input: Input) => act(key, input),
    onSuccess: (reply, input) => {
      setKey(newKey())
      onDone?.(reply, input)
    },
  })
  const run = (input: Input): void => {
    if (!isPending) mutate(input)
  }
  return { run, isBusy: isPending, error, reply: data, reset }
}

export function newKey(): string {
  // A page loaded over plain http from another machine has no randomUUID.
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
