// The account and its balance, which many tools fetch to check a credential.

import type { FastifyPluginAsync } from 'fastify'
import { getAccount } from '../accounts/account-queries.js'
import { plainDollars } from '../kit/money.js'
import { findBalanceMicros } from '../ledger/ledger-queries.js'
import { type CompatOptions, compat } from './compat-config.js'
import { accountPath, twilioDate } from './message-resource.js'
import { accountSid } from './sids.js'

export const compatAccountRoutes: FastifyPluginAsync<CompatOptions> = async (app, { db }) => {
  app.get('/Accounts/:account', compat('read'), async ({ caller: { accountId } }) => {
    const { name, createdAt } = await getAccount(db, accountId)
    const [sid, path, created] = [
      accountSid(accountId),
      accountPath(accountId),
      twilioDate(createdAt),
    ]
    return {
      sid,
      owner_account_sid: sid,
      friendly_name: name,
      status: 'active',
      type: 'Full',
      date_created: created,
      date_updated: created,
      uri: `${path}.json`,
      subresource_uris: {
        messages: `${path}/Messages.json`,
        incoming_phone_numbers: `${path}/IncomingPhoneNumbers.json`,
        available_phone_numbers: `${path}/AvailablePhoneNumbers.json`,
        balance: `${path}/Balance.json`,
      },
    }
  })

  app.get('/Accounts/:account/Balance.json', compat('read'), async ({ caller: { accountId } }) => ({
    account_sid: accountSid(accountId),
    balance: plainDollars(await findBalanceMicros(db, accountId)),
    currency: 'USD',
  }))
}
