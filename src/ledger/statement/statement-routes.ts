// Monthly statements over HTTP: JSON, CSV, or a page to print, chosen by the Accept header.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { getAccount } from '../../accounts/account-queries.js'
import { preferredType } from '../../kit/contract/accept.js'
import { operation } from '../../kit/contract/operation.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import { PathText } from '../../kit/contract/schema.js'
import type { World } from '../../kit/world.js'
import type { BillingPorts } from '../billing-ports.js'
import { type Month, readMonth } from '../month.js'
import { makeStatement } from './statement.js'
import { PAGE_POLICY, statementPage } from './statement-page.js'
import { STATEMENT_EXAMPLE, StatementShape, statementCsv, wireStatement } from './statement-wire.js'

const GET = operation({
  id: 'getStatement',
  databaseClass: 'report',
  tag: 'Account',
  summary: 'Get the statement of a month',
  description:
    'Months are UTC. `Accept: text/csv` returns a file for a spreadsheet, and `Accept: text/html` a page to print.',
  isExtension: true,
  scope: 'billing',
  params: Type.Object({ month: PathText({ examples: ['2026-11'] }) }),
  reply: Type.Object({ statement: StatementShape }),
  example: { statement: STATEMENT_EXAMPLE },
  otherForms: ['text/csv', 'text/html'],
  failure: { statement: null },
  refuses: ['field_invalid', 'account_missing'],
})

export const statementRoutes: FastifyPluginAsyncTypebox<World & BillingPorts> = async (
  app,
  { db, clock, nameCampaigns },
) => {
  app.get('/account/statement/:month', GET, async ({ caller, params, headers }, reply) => {
    const now = clock.now()
    const month = getMonth(params.month, now)
    const account = await getAccount(db, caller.accountId)
    const statement = await makeStatement(db, account, month, { nameCampaigns, now })
    switch (preferredType(headers.accept, ['application/json', 'text/csv', 'text/html'])) {
      case 'application/json':
        return { statement: wireStatement(statement) }
      case 'text/csv':
        reply.header('content-disposition', `attachment; filename="statement-${month.name}.csv"`)
        return reply.type('text/csv; charset=utf-8').send(statementCsv(statement) as never)
      case 'text/html':
        reply.header('content-security-policy', PAGE_POLICY)
        reply.header('x-content-type-options', 'nosniff')
        return reply.type('text/html; charset=utf-8').send(statementPage(statement) as never)
    }
  })
}

function getMonth(name: string, now: Date): Month {
  const month = readMonth(name)
  if (!month) throw fieldRefusal('month', 'must be a month such as 2026-11')
  if (month.start > now) throw fieldRefusal('month', 'must not be in the future')
  return month
}
