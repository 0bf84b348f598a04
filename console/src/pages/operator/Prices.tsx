// What everybody pays who has no price of their own.

import { ApiCallButton } from '../../ui/ApiCall'
import { Page } from '../../ui/Page'
import { PriceCard } from './accounts/PriceCard'

export function Prices() {
  return (
    <Page
      title="Prices"
      actions={<ApiCallButton call={{ method: 'GET', path: '/operator/v1/price/list' }} />}
    >
      <p className="mb-4 max-w-180 text-ink-2">
        Prices for everybody. An account can have its own: they are on its page. Numbers have their
        prices with them.
      </p>
      <div className="max-w-180">
        <PriceCard account={null} title="For everybody" isFirst />
      </div>
    </Page>
  )
}
