// All operator pages in one bundle: they are small, people who open one open others, and the entry file then names
// one file instead of thirteen.

export { OperatorShell } from '../../ui/shell/OperatorShell'
export { AccountPage } from './AccountPage'
export { Accounts } from './Accounts'
export { AddCarrier } from './AddCarrier'
export { Audit } from './Audit'
export { Carriers } from './Carriers'
export { Health } from './Health'
export { Inventory } from './Inventory'
export { More } from './More'
export { OperatorSettings } from './OperatorSettings'
export { Prices } from './Prices'
export { Reviews } from './Reviews'
export { BrandRecord } from './reviews/BrandRecord'
export { CampaignRecord } from './reviews/CampaignRecord'
export { WebhooksOff } from './WebhooksOff'
