// Downloads a report as CSV.

import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { downloadCsv } from '../../api/file'
import type { Query } from '../../lib/address'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'

interface CsvButtonProps {
  path: string
  query?: Query
  /** The file name. */
  name: string
  label?: string
}

export function CsvButton({ path, query = {}, name, label = 'CSV' }: CsvButtonProps) {
  const file = useMutation({ mutationFn: () => downloadCsv(path, query, name) })
  return (
    <>
      <Button onClick={() => file.mutate()} busy={file.isPending && 'Loading…'}>
        <Download size={16} aria-hidden="true" /> {label}
      </Button>
      {file.error ? <ErrorNotice error={file.error} isAnswer /> : null}
    </>
  )
}
