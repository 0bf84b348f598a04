// Uploads a file for a message. The URL works for this account and for seven days.

import { useMutation } from '@tanstack/react-query'
import { request } from '../api/request'

interface Upload {
  run: (file: File) => void
  isBusy: boolean
  error: Error | null
}

export function useUpload(onDone: (url: string) => void): Upload {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (file: File) => request('POST /v1/media', { body: file }),
    onSuccess: ({ media }) => onDone(media.url),
  })
  return { run: (file) => mutate(file), isBusy: isPending, error }
}
