// The ledger's filters, which are in the URL, and the exports of what they match.

import { useNavigate } from '@tanstack/react-router'
import type { LedgerFilter } from '../../api/account-queries'
import { serviceNow } from '../../lib/service-time'
import type { CampaignNames } from '../../lib/use-campaign-names'
import type { BillingSearch } from '../../routes/account'
import { ButtonLink } from '../../ui/inputs/Button'
import { Choice } from '../../ui/inputs/Choice'
import { CsvButton } from './CsvButton'
import { REASONS } from './describe-entry'
import { monthOf, monthsSince, monthTitle } from './months'

interface FiltersProps {
  search: BillingSearch
  first: string
  names: CampaignNames
  filter: LedgerFilter
}

export function LedgerFilters({ search, first, names, filter }: FiltersProps) {
  const navigate = useNavigate({ from: '/billing' })
  const set = (change: Partial<Record<keyof BillingSearch, string>>) => {
    const present = Object.entries({ ...search, ...change }).filter(([, value]) => value)
    void navigate({ search: Object.fromEntries(present), replace: true, resetScroll: false })
  }
  const reasons = Object.entries(REASONS).map(([value, label]) => ({ value, label }))
  const months = monthsSince(first).map((value) => ({ value, label: monthTitle(value) }))
  const month = search.month ?? monthOf(serviceNow())
  return (
    <search className="flex flex-wrap items-center gap-2 p-4">
      <Choice
        className="w-full sm:w-44"
        label="Type"
        value={search.reason}
        options={reasons}
        onChoose={(reason) => set({ reason })}
      />
      <Choice
        className="w-full sm:w-44"
        label="Campaign"
        value={search.campaign}
        options={names.options}
        onChoose={(campaign) => set({ campaign })}
      />
      <Choice
        className="w-full sm:w-44"
        label="Month"
        value={search.month}
        options={months}
        onChoose={(chosen) => set({ month: chosen })}
      />
      {Object.keys(search).length > 0 ? (
        <ButtonLink look="quiet" to="/billing" search={{}} resetScroll={false}>
          Clear filters
        </ButtonLink>
      ) : null}
      <div className="ml-auto flex flex-wrap gap-2">
        <CsvButton
          path="/v1/account/ledger"
          query={{ ...filter }}
          name={`ledger${search.month ? `-${search.month}` : ''}.csv`}
        />
        <ButtonLink look="filled" to="/billing/statement/$month" params={{ month }}>
          Statement
        </ButtonLink>
      </div>
    </search>
  )
}
