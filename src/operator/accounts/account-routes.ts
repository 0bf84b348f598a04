// The operator's account endpoints.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { listAccounts } from '../../accounts/account-queries.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import { readAmount } from '../../ledger/amount.js'
import { actorOf } from '../operator-token.js'
import {
  CHANGE_ACCOUNT,
  CORRECT_ACCOUNT,
  CREATE_ACCOUNT,
  CREDIT_ACCOUNT,
  DELETE_ACCOUNT,
  GET_ACCOUNT,
  LIST_ACCOUNTS,
  RESUME_ACCOUNT,
  SUSPEND_ACCOUNT,
} from './account-operations.js'
import { wireOperatedAccount } from './account-wire.js'
import { deleteAccount } from './delete-account.js'
import {
  changeAccount,
  getOperatedAccount,
  moveAccount,
  type OperatedAccount,
  openCustomer,
  withBalances,
} from './manage-accounts.js'
import { correctCustomer, creditCustomer } from './move-money.js'
import type { Retention } from './retention-queries.js'

export const operatorAccountRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock, hints },
) => {
  app.post('/account/create', CREATE_ACCOUNT, (request) =>
    request.once(async (tx) => {
      const { name, credit } = request.body
      const creditMicros = credit === undefined ? 0n : readAmount('credit', credit)
      const newAccount = { name: name.trim(), creditMicros, ...retentionIn(request.body) }
      return answer(await openCustomer(tx, actorOf(request), newAccount, clock.now()))
    }),
  )

  app.get('/account/list', LIST_ACCOUNTS, async ({ query }) => {
    const page = pageOf(query)
    const filter = { status: query.status ?? null, search: query.search?.trim() || null }
    const found = await listAccounts(db, filter, page)
    const { rows, hasMore } = cutPage(found, page)
    return { accounts: (await withBalances(db, rows)).map(wireOperatedAccount), hasMore }
  })

  app.get('/account/:id', GET_ACCOUNT, async ({ params }) => ({
    account: wireOperatedAccount(await getOperatedAccount(db, params.id)),
  }))

  app.patch('/account/:id', CHANGE_ACCOUNT, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const changes = {
        ...(body.name !== undefined && { name: body.name.trim() }),
        ...retentionIn(body),
      }
      return answer(await changeAccount(tx, actorOf(request), params.id, changes, clock.now()))
    }),
  )

  app.post('/account/:id/suspend', SUSPEND_ACCOUNT, async (request) => {
    const reply = await request.once(async (tx) => {
      const { params, body } = request
      const actor = actorOf(request)
      return answer(await moveAccount(tx, actor, params.id, 'suspend', body.reason, clock.now()))
    })
    hints.notify('forwardings')
    return reply
  })

  app.post('/account/:id/resume', RESUME_ACCOUNT, async (request) => {
    const reply = await request.once(async (tx) => {
      const { params, body } = request
      const actor = actorOf(request)
      return answer(await moveAccount(tx, actor, params.id, 'resume', body.reason, clock.now()))
    })
    hints.notify('forwardings')
    return reply
  })

  app.post('/account/:id/credit', CREDIT_ACCOUNT, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const amountMicros = readAmount('amount', body.amount)
      const moneyMove = { amountMicros, note: body.note, reference: body.reference ?? null }
      return answer(await creditCustomer(tx, actorOf(request), params.id, moneyMove, clock.now()))
    }),
  )

  app.post('/account/:id/correct', CORRECT_ACCOUNT, (request) =>
    request.once(async (tx) => {
      const { params, body } = request
      const size = readAmount('amount', Math.abs(body.amount))
      const amountMicros = body.amount < 0 ? -size : size
      const moneyMove = { amountMicros, note: body.note, reference: body.reference ?? null }
      return answer(await correctCustomer(tx, actorOf(request), params.id, moneyMove, clock.now()))
    }),
  )

  app.delete('/account/:id', DELETE_ACCOUNT, async (request) => {
    const answer = await request.once(async (tx) => {
      const { params, query } = request
      await deleteAccount(tx, actorOf(request), params.id, query.reason, clock.now())
      return { success: true as const, id: params.id }
    })
    hints.notify('forwardings')
    return answer
  })
}

function answer(account: OperatedAccount) {
  return { success: true as const, account: wireOperatedAccount(account) }
}

function retentionIn(body: {
  messageRetentionDays?: number | null
  mediaRetentionDays?: number | null
  recordRetentionDays?: number | null
}): { retention?: Partial<Retention> } {
  const retention = {
    ...(body.messageRetentionDays !== undefined && { messageDays: body.messageRetentionDays }),
    ...(body.mediaRetentionDays !== undefined && { mediaDays: body.mediaRetentionDays }),
    ...(body.recordRetentionDays !== undefined && { recordDays: body.recordRetentionDays }),
  }
  return Object.keys(retention).length === 0 ? {} : { retention }
}
