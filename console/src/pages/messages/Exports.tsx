// Exports of the list as CSV files: the button that starts one, and the progress and files above the list.

import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { MessageExport } from '../../../generated/types.gen'
import { exportsQuery, type MessageSearch, searchQueryOf } from '../../api/queries'
import { request } from '../../api/request'
import { useMay, useSession } from '../../api/session'
import { formatCount, plural } from '../../lib/format'
import { momentOf } from '../../lib/format-time'
import { useAct } from '../../lib/use-act'
import { ErrorNotice } from '../../ui/feedback/Notice'
import { Button } from '../../ui/inputs/Button'

interface ExportButtonProps {
  filter: MessageSearch
  view: string | undefined
}

export function ExportButton({ filter, view }: ExportButtonProps) {
  const { data } = useQuery(exportsQuery)
  const isRunning = data?.exports.some(({ status }) => status === 'RUNNING') ?? false
  const act = useAct((key) =>
    request('POST /v1/export/create', {
      body: { ...(view && { name: view }), filter: withoutAbsent(searchQueryOf(filter)) },
      key,
    }),
  )
  return (
    <>
      <Button
        onClick={() => act.run()}
        busy={act.isBusy ? 'Exporting…' : false}
        blocked={isRunning && 'Another export is running'}
        title="Export all messages that match, in the background"
      >
        <Download size={16} aria-hidden="true" />
        Export CSV
      </Button>
      {act.error ? <ErrorNotice error={act.error} /> : null}
    </>
  )
}

function withoutAbsent(query: ReturnType<typeof searchQueryOf>) {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}

export function Exports() {
  const { data } = useQuery(exportsQuery)
  const [isOpen, setOpen] = useState(false)
  const newest = data && (data.exports[0]?.id ?? '')
  const seen = useRef<string | null>(null)
  const isRunning = data?.exports[0]?.status === 'RUNNING'
  // Opens for a new export, and stays open when it is finished, because someone is waiting for the file.
  useEffect(() => {
    if (newest === undefined) return
    if (isRunning || (seen.current !== null && newest > seen.current)) setOpen(true)
    seen.current = newest
  }, [newest, isRunning])
  if (!data || data.exports.length === 0) return null
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="mb-3 rounded-lg border border-line bg-surface px-4 py-2"
    >
      <summary className="cursor-pointer font-medium">
        Exports ({formatCount(data.exports.length)})
      </summary>
      <ul className="divide-y divide-line">
        {data.exports.map((one) => (
          <ExportRow key={one.id} one={one} />
        ))}
      </ul>
    </details>
  )
}

function ExportRow({ one }: { one: MessageExport }) {
  const { id, createdBy, name, status, createdAt, expiresAt } = one
  const { user } = useSession()
  const mayManage = useMay('manage')
  // A token cannot see its own ID here. The service refuses what it may not delete.
  const mayDelete = mayManage || user === null || createdBy === user.userId
  const act = useAct((key) => request('DELETE /v1/export/{id}', { path: { id }, key }))
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-0 flex-1">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="text-ink-2"> · {momentOf(new Date(createdAt))}</span>
        <span role="status" className="block text-sm text-ink-2">
          {progressOf(one)}
        </span>
      </span>
      {status === 'DONE' ? (
        <a
          href={`/v1/export/${id}?format=csv`}
          download
          title={`Available until ${momentOf(new Date(expiresAt))}`}
          className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 font-medium hover:bg-hover pointer-coarse:min-h-11"
        >
          <Download size={16} aria-hidden="true" />
          Download
        </a>
      ) : null}
      {mayDelete ? (
        <Button look="quiet" onClick={() => act.run()} busy={act.isBusy ? 'Deleting…' : false}>
          {status === 'RUNNING' ? 'Cancel export' : 'Delete'}
        </Button>
      ) : null}
      {act.error ? <ErrorNotice error={act.error} /> : null}
    </li>
  )
}

function progressOf({ status, rows, truncated, reachedAt }: MessageExport): string {
  const messages = plural(rows, 'message')
  if (status === 'FAILED') return `Failed after ${messages}. Try a shorter time range.`
  if (status === 'DONE') return truncated ? `${messages} (the maximum). More match.` : messages
  return reachedAt
    ? `${messages} so far, back to ${momentOf(new Date(reachedAt))}`
    : `${messages} so far`
}
