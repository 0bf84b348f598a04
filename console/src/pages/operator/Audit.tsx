// The audit log: who did what and when, with values before and after. Any value filters the list. The filters are
// in the URL.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { AuditEntry } from '../../../generated/types.gen'
import { type AuditSearch, auditQuery } from '../../api/operator-queries'
import { fieldName } from '../../lib/field-name'
import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { ListCard } from '../../ui/display/ListCard'
import { Time } from '../../ui/display/Time'
import { Empty, Page } from '../../ui/layout/Page'
import { AuditFilters } from './audit/AuditFilters'
import { differenceOf } from './audit/difference'

export function Audit() {
  const filter = useSearch({ from: '/operator/audit' })
  const list = useInfiniteQuery(auditQuery(filter))
  return (
    <Page
      title="Audit log"
      actions={
        <ApiRequestButton
          request={{ method: 'GET', path: '/operator/v1/audit/list', query: { ...filter } }}
        />
      }
    >
      <ListCard
        list={list}
        rows={list.data?.pages.flatMap(({ acts }) => acts)}
        loading={{ rows: 8, height: 56 }}
        filters={<AuditFilters filter={filter} />}
        empty={<Nothing isFiltered={Object.keys(filter).length > 0} />}
      >
        {(acts) => (
          <ol aria-label="Audit entries, newest first" className="divide-y divide-line">
            {acts.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </ListCard>
    </Page>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No results">No entries match these filters.</Empty>
  return <Empty title="No entries yet">Operator actions and token changes are listed here.</Empty>
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { act, actor, at, accountId, subject } = entry
  return (
    <li className="grid gap-x-4 gap-y-1 px-3 py-2 md:grid-cols-[7.5rem_16rem_minmax(0,1fr)]">
      <span className="text-sm text-ink-2">
        <Time at={at} />
      </span>
      <div className="min-w-0">
        <Narrow change={{ act }} label={act} isStrong />
        <p className="truncate text-sm text-ink-2" title={`${actor.kind} ${actor.name}`}>
          by <Narrow change={{ actor: actor.name }} label={actor.name} />
        </p>
      </div>
      <div className="min-w-0 text-sm">
        <p className="flex flex-wrap gap-x-3">
          {accountId ? (
            <Link
              to="/operator/accounts/$id"
              params={{ id: accountId }}
              className="font-mono text-accent-ink underline"
            >
              {accountId}
            </Link>
          ) : null}
          {subject && subject !== accountId ? (
            <Narrow change={{ subject }} label={subject} isMono />
          ) : null}
        </p>
        <Difference entry={entry} />
        <p className="text-ink-3 wrap-anywhere">
          from {actor.origin}
          {actor.requestId ? `, ${actor.requestId}` : ''}
        </p>
      </div>
    </li>
  )
}

interface NarrowProps {
  change: AuditSearch
  label: string
  isStrong?: boolean
  isMono?: boolean
}

/** A value that filters the list when clicked. */
function Narrow({ change, label, isStrong, isMono }: NarrowProps) {
  return (
    <Link
      to="/operator/audit"
      search={(now: AuditSearch) => ({ ...now, ...change })}
      title={`Show only ${label}`}
      className={`hover:underline ${isStrong ? 'font-medium' : ''} ${isMono ? 'font-mono text-ink-2' : ''}`}
    >
      {label}
    </Link>
  )
}

function Difference({ entry }: { entry: AuditEntry }) {
  const lines = differenceOf(entry.before, entry.after)
  if (lines.length === 0) return null
  return (
    <ul className="my-1 flex flex-col gap-0.5">
      {lines.map(({ name, before, after }) => (
        <li key={name} className="flex flex-wrap items-baseline gap-x-2">
          <span className="text-ink-2">{fieldName(name)}</span>
          {before === null ? null : (
            <del className="rounded-sm bg-bad-soft px-1 text-bad-ink wrap-anywhere">
              <Value text={before} />
            </del>
          )}
          {before !== null && after !== null ? <span aria-hidden="true">→</span> : null}
          {after === null ? null : (
            <ins className="rounded-sm bg-ok-soft px-1 text-ok-ink wrap-anywhere no-underline">
              <Value text={after} />
            </ins>
          )}
        </li>
      ))}
    </ul>
  )
}

const MOMENT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

function Value({ text }: { text: string }) {
  return MOMENT.test(text) ? <Time at={text} /> : text
}
