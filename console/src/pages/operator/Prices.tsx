// Default prices, which apply to accounts without custom prices.

import { ApiRequestButton } from '../../ui/display/ApiRequest'
import { Page } from '../../ui/layout/Page'
import { PriceCard } from './accounts/PriceCard'

export function Prices() {
  return (
    <Page
      title="Prices"
      actions={<ApiRequestButton request={{ method: 'GET', path: '/operator/v1/price/list' }} />}
    >
      <p className="mb-4 max-w-180 text-ink-2">
        Default prices for all accounts. Set custom prices on an account’s page. Each number has its
        own price.
      </p>
      <div className="max-w-180">
        <PriceCard account={null} title="Default prices" isFirst />
      </div>
    </Page>
  )
}
