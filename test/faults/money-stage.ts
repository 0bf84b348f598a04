// Accounts and numbers for the money tests: each account has a campaign that can send, and several accounts compete for
// each number.

import { activeCampaign, addInventory, buyNumber } from '../fixtures.js'
import type { TestService } from '../harness.js'
import type { Stage } from './money-clients.js'
import { type ModelAccount, newModel, note, noteNumber } from './money-model.js'

export async function openModel(service: TestService, balance: string): Promise<ModelAccount> {
  const { accountId, token } = await service.otherAccount(balance)
  const { campaignId, brandId } = await activeCampaign(service, { accountId })
  const model = newModel({ accountId, token, brandId, campaigns: [campaignId] })
  const number = await buyNumber(service, campaignId, { token })
  noteNumber(model, number, { campaignId, priceMicros: 1_000_000n })
  await adoptOpening(service, model)
  return model
}

/** Adds the charges and credits of the fixtures to the model. */
async function adoptOpening({ get }: TestService, model: ModelAccount): Promise<void> {
  const { entries } = (await get('/v1/account/ledger?limit=100', { token: model.token })).body
  for (const { reference, amount, balanceAfter } of entries.reverse()) {
    note(model, reference, BigInt(Math.round(amount * 1e6)))
    model.before = BigInt(Math.round(balanceAfter * 1e6))
  }
  model.spent = 0n
}

export async function stock(service: TestService): Promise<Stage['forSale']> {
  const forSale = Array.from({ length: 150 }, (_, i) => ({
    number: `+1628${2_000_000 + i}`,
    priceMicros: [1_000_000n, 2_500_000n, 333_333n][i % 3]!,
  }))
  await addInventory(
    service,
    forSale.map(({ number, priceMicros }) => ({ number, monthlyPriceMicros: priceMicros })),
  )
  return forSale
}
