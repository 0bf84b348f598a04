// `longcode token …`: access tokens of accounts, or of operators with --operator.

import type { Command } from 'commander'
import type { NewSystem } from '../accounts/smpp-system.js'
import type { Scope } from '../kit/contract/operation.js'
import type { Database } from '../kit/postgres/db.js'
import { action, chooseAccount, examples, operate, readTimeOption } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

interface CreateOptions {
  account?: string
  operator?: boolean
  name?: string
  scopes?: string
  expires?: string
  smpp?: boolean
  campaign?: string
  number?: string
}

const PAGE = { limit: 1000, skip: 0, after: null }

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('access tokens of accounts and operators')
  const whose = (command: Command) =>
    command
      .option('--account <id>', 'account (optional if there is only one)')
      .option('--operator', 'an operator token instead')

  whose(token.command('create'))
    .description('create a token; it is shown only once')
    .option('--name <name>', 'what it is for, or who uses it')
    .option('--scopes <list>', 'permissions, such as read,send (default: all)')
    .option('--expires <time>', 'expiration, such as 2027-01-01T00:00:00Z')
    .option('--smpp', 'also create a system ID and password to bind over SMPP')
    .option('--campaign <id>', 'restrict it to this campaign, over HTTP and SMPP')
    .option('--number <number>', 'with --smpp: restrict it to this number')
    .addHelpText(
      'after',
      examples(
        'token create --name laptop',
        'token create --account acc_01… --scopes read,send',
        'token create --smpp --campaign cmp_01…',
        'token create --operator --name ana',
      ),
    )
    .action(
      action((out, options) => (options.operator ? createOwn(out, options) : create(out, options))),
    )

  whose(token.command('list')).description('list tokens, newest first').action(action(list))

  whose(token.command('revoke <id>'))
    .description('revoke a token and the tokens it created')
    .option('--keep <list>', 'ids or names of tokens that stay valid, separated by commas')
    .addHelpText('after', examples('token revoke tok_01…', 'token revoke tok_01… --operator'))
    .action(action(revoke))
}

async function create(out: Output, options: CreateOptions): Promise<void> {
  const { checkCampaigns } = await import('../campaigns/campaign-queries.js')
  const { issueToken } = await import('../accounts/issue-token.js')
  const { getAccount } = await import('../accounts/account-queries.js')
  const { refuseDeleted } = await import('../operator/accounts/manage-accounts.js')
  const { wireToken } = await import('../accounts/token-wire.js')
  const scopes = await readScopes(options.scopes ?? (options.smpp ? 'read,send' : undefined))
  let smpp: NewSystem | null = null
  const made = await operate(out, async (operator) => {
    const accountId = await chooseAccount(operator, options.account)
    smpp = await readSystemOptions(operator.world.db, accountId, options)
    const request = {
      name: options.name ?? null,
      expiresAt: readTimeOption('--expires', options.expires),
      smpp,
      campaigns: options.campaign === undefined ? null : [options.campaign],
      ...(scopes && { scopes }),
    }
    if (request.campaigns) await checkCampaigns(operator.world.db, accountId, request.campaigns)
    return operator.act(async (tx, actor, now) => {
      refuseDeleted(await getAccount(tx, accountId))
      return issueToken(tx, actor, accountId, request, now)
    })
  })
  const password = (smpp as NewSystem | null)?.password
  out.json({
    token: wireToken(made.token),
    accessToken: made.text,
    ...(password && { smppPassword: password }),
  })
  out.say(made.text)
  if (password) out.say(`System ID ${made.token.smpp!.systemId}, password ${password}`)
  out.note(`Token ${made.token.id} of ${made.token.accountId}. Save it now: it is not shown again.`)
}

/** Null if the token cannot bind over SMPP. */
async function readSystemOptions(
  db: Database,
  accountId: string,
  { smpp, campaign, number }: CreateOptions,
): Promise<NewSystem | null> {
  if (!smpp) {
    if (number === undefined) return null
    throw new UsageFailure('--number requires --smpp.')
  }
  const { makeSystem } = await import('../accounts/smpp-system.js')
  const { checkSmppSystem } = await import('../numbers/check-smpp-system.js')
  return makeSystem(await checkSmppSystem(db, accountId, { campaign, number }))
}

async function createOwn(out: Output, { name, expires }: CreateOptions): Promise<void> {
  if (!name) throw new UsageFailure('--name is required: the audit log shows operators by name.')
  const { issueOperatorToken } = await import('../operator/tokens/issue-operator-token.js')
  const request = { name, expiresAt: readTimeOption('--expires', expires) }
  const made = await operate(out, ({ act }) =>
    act((tx, actor, now) => issueOperatorToken(tx, actor, request, now)),
  )
  out.json({ token: made.token, operatorToken: made.text })
  out.say(made.text)
  out.note(`Operator token ${made.token.id}. Save it now: it is not shown again.`)
}

async function list(out: Output, options: { account?: string; operator?: boolean }): Promise<void> {
  const { listTokens } = await import('../accounts/token-queries.js')
  const { wireToken } = await import('../accounts/token-wire.js')
  const { listOperatorTokens } = await import('../operator/tokens/operator-token-queries.js')
  const tokens = await operate(out, async (operator) => {
    const { db } = operator.world
    if (options.operator) {
      return (await listOperatorTokens(db, PAGE)).map((token) => ({
        ...token,
        createdAt: token.createdAt.toISOString(),
        lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
      }))
    }
    const accountId = await chooseAccount(operator, options.account)
    return (await listTokens(db, accountId, PAGE)).map(wireToken)
  })
  out.json(tokens)
  const columns = ['id', 'name', 'createdAt', 'lastUsedAt']
  out.table(tokens, options.operator ? columns : [...columns, 'scopes'])
}

async function revoke(
  out: Output,
  id: string,
  options: { account?: string; operator?: boolean; keep?: string },
): Promise<void> {
  const { readKeep } = await import('../accounts/token-wire.js')
  const { revokeIssuedToken } = await import('../accounts/issue-token.js')
  const { endOperatorToken } = await import('../operator/tokens/issue-operator-token.js')
  const alsoRevoked = await operate(out, async (operator) => {
    if (options.operator) {
      await operator.act((tx, actor, now) => endOperatorToken(tx, actor, id, now))
      return []
    }
    const accountId = await chooseAccount(operator, options.account)
    return operator.act((tx, actor, now) =>
      revokeIssuedToken(tx, actor, { accountId, id, keep: readKeep(options.keep) }, now),
    )
  })
  out.json({ id, revoked: true, alsoRevoked })
  out.say(`Revoked ${id}.`)
  if (alsoRevoked.length > 0)
    out.note(`Also revoked, because it created them: ${alsoRevoked.join(', ')}`)
}

async function readScopes(text: string | undefined): Promise<Scope[] | null> {
  if (text === undefined) return null
  const { SCOPES } = await import('../kit/contract/operation.js')
  return text.split(',').map((item) => {
    const scope = SCOPES.find((one) => one === item.trim())
    if (!scope)
      throw new UsageFailure(
        `--scopes must be a list of ${SCOPES.join(', ')}, not "${item.trim()}".`,
      )
    return scope
  })
}
