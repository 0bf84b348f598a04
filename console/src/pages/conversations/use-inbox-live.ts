// Refreshes the inbox when someone is answered, here or elsewhere. Only then: a large send has thousands of status
// events and answers nobody.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { refetch } from '../../api/changes'
import { onLiveEvent } from '../../api/stream'
import { keyOf, type ThreadKey } from './use-conversation'

const GATHER_MS = 250

/** The conversations on the screen that wait for an answer. */
export function useInboxLive(waiting: readonly ThreadKey[]): void {
  const client = useQueryClient()
  const keys = useRef<ReadonlySet<string>>(new Set())
  keys.current = new Set(waiting.map(keyOf))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent(({ eventType, data }) => {
      if (eventType !== 'message.status' || timer) return
      const { campaignId, to } = data.message
      if (!keys.current.has(keyOf({ campaignId, phone: to }))) return
      timer = setTimeout(() => {
        timer = undefined
        refetch(client, ['inbox'])
      }, GATHER_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
}
