// Filters of the audit log: action, actor, account, record, and dates.

import { useNavigate } from '@tanstack/react-router'
import { ListFilter } from 'lucide-react'
import { type FormEvent, useEffect, useId, useState } from 'react'
import type { AuditEntry } from '../../../../generated/types.gen'
import type { AuditSearch } from '../../../api/operator-queries'
import { Button, ButtonLink } from '../../../ui/inputs/Button'
import { Input, Select } from '../../../ui/inputs/Field'

// Every action of the API must be here, or this does not compile.
const ACTS = Object.keys({
  'account.create': true,
  'account.change': true,
  'account.branding': true,
  'account.quotas': true,
  'alert.settings': true,
  'account.suspend': true,
  'account.resume': true,
  'account.credit': true,
  'account.correct': true,
  'account.export': true,
  'account.delete': true,
  'token.create': true,
  'token.revoke': true,
  'operator_token.create': true,
  'operator_token.revoke': true,
  'brand.verify': true,
  'brand.refuse': true,
  'brand.vet': true,
  'campaign.approve': true,
  'campaign.return': true,
  'campaign.suspend': true,
  'campaign.resume': true,
  'campaign.limits': true,
  'campaign.end': true,
  'number.import': true,
  'number.withdraw': true,
  'number.hosts': true,
  'number.forward': true,
  'number.stop_forwarding': true,
  'number.allow_forwarding': true,
  'number.clear_refusal': true,
  'price.set': true,
  'webhook.enable': true,
  'optout.add': true,
  'optout.remove': true,
  'message.redact': true,
  'message.lookup': true,
  'carrier.add': true,
  'carrier.reload': true,
  'smpp.limits': true,
  'smpp.addresses': true,
  'carrier.pause': true,
  'carrier.resume': true,
  'user.invite': true,
  'user.withdraw': true,
  'user.join': true,
  'user.link': true,
  'user.sign_in': true,
  'user.role': true,
  'user.remove': true,
  'user.recover': true,
  'user.recovered': true,
  'user.password': true,
  'user.second_factor': true,
  'user.delete': true,
} satisfies Record<AuditEntry['act'], true>)

const TEXTS = [
  { name: 'actor', label: 'Actor' },
  { name: 'account', label: 'Account ID' },
  { name: 'subject', label: 'Record ID' },
] as const

export function AuditFilters({ filter }: { filter: AuditSearch }) {
  const navigate = useNavigate({ from: '/operator/audit' })
  const [texts, setTexts] = useState(filter)
  useEffect(() => setTexts(filter), [filter])
  const set = (change: AuditSearch) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set(texts)
  }
  const [isOpen, setOpen] = useState(false)
  const count = Object.keys(filter).length
  return (
    <search>
      <form onSubmit={submit} className="mb-3 flex flex-wrap gap-2">
        <div className="w-48">
          <Select
            aria-label="Action"
            value={filter.act ?? ''}
            options={[
              { value: '', label: 'All actions' },
              ...ACTS.map((act) => ({ value: act, label: act })),
            ]}
            onChange={({ target }) => set({ act: target.value } as AuditSearch)}
          />
        </div>
        <span className="md:hidden">
          <Button onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
            <ListFilter size={16} aria-hidden="true" />
            Filters{count > 0 ? ` (${count})` : ''}
          </Button>
        </span>
        <div
          className={`flex flex-col gap-2 max-md:w-full md:contents ${isOpen ? '' : 'max-md:hidden'}`}
        >
          {TEXTS.map(({ name, label }) => (
            <div key={name} className="md:w-32">
              <Input
                aria-label={label}
                placeholder={label}
                maxLength={200}
                value={texts[name] ?? ''}
                onChange={(event) => setTexts({ ...texts, [name]: event.target.value.trim() })}
              />
            </div>
          ))}
          <Day label="From" at={filter.since} onDay={(since) => set({ since })} />
          <Day label="until" at={filter.until} onDay={(until) => set({ until })} />
          <Button type="submit">Filter</Button>
        </div>
        {count > 0 ? (
          <ButtonLink look="quiet" to="/operator/audit" search={{}}>
            Clear filters
          </ButtonLink>
        ) : null}
      </form>
    </search>
  )
}

interface DayProps {
  label: string
  at: string | undefined
  onDay: (moment: string) => void
}

/** A day in the reader's time zone, in the URL as its start time. */
function Day({ label, at, onDay }: DayProps) {
  const id = useId()
  const moment = at ? new Date(at) : null
  const value = moment && !Number.isNaN(moment.getTime()) ? moment.toLocaleDateString('sv-SE') : ''
  return (
    <div className="flex items-center gap-1.5 text-sm whitespace-nowrap text-ink-2">
      <label htmlFor={id}>{label}</label>
      <Input
        id={id}
        type="date"
        value={value}
        onChange={({ target }) =>
          onDay(target.value === '' ? '' : new Date(`${target.value}T00:00`).toISOString())
        }
      />
    </div>
  )
}
