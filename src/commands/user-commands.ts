// `longcode user …`: people who sign in to the console.

import type { Command } from 'commander'
import type { AccountRole } from '../accounts/role.js'
import type { InstallationRole } from '../people/user.js'
import { action, examples, operate } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

interface InviteOptions {
  account?: string
  role?: string
}

const PAGE = { limit: 1000, skip: 0, after: null }

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('people who sign in to the console')

  user
    .command('invite <email>')
    .description('print a one-time link that invites a person')
    .option('--account <id>', 'invite to this account (default: to the installation)')
    .requiredOption(
      '--role <role>',
      'owner, admin, developer, agent, billing, or read-only; without --account: operator, reviewer, support, or finance',
    )
    .addHelpText(
      'after',
      examples(
        'user invite ana@example.com --account acc_01… --role owner',
        'user invite ben@example.com --role reviewer',
      ),
    )
    .action(action(invite))

  user
    .command('list')
    .description('list people, newest first')
    .option('--account <id>', 'only people of this account')
    .action(action(list))

  user
    .command('role <user> <role>')
    .description('change what a person may do for the installation')
    .addHelpText(
      'after',
      examples('user role ana@example.com support', 'user role ana@example.com none'),
    )
    .action(action(changeRole))

  user
    .command('recover <user>')
    .description('print a one-time link for a person who cannot sign in')
    .addHelpText('after', examples('user recover ana@example.com'))
    .action(action(recover))

  user
    .command('delete <user>')
    .description('delete a person, their roles, and their sessions')
    .addHelpText('after', examples('user delete ana@example.com'))
    .action(action(remove))
}

async function invite(out: Output, email: string, options: InviteOptions): Promise<void> {
  const { inviteUser } = await import('../operator/users/manage-users.js')
  const { wireInvitation } = await import('../people/people-wire.js')
  const { readEmail } = await import('../people/user.js')
  const role = options.role as AccountRole | InstallationRole
  const request = { email: readEmail(email), accountId: options.account ?? null, role }
  const made = await operate(out, async ({ world, act }) => {
    const { clock, config } = world
    return act((tx, actor, now) =>
      inviteUser(tx, actor, request, config, { now, machineNow: clock.machineNow() }),
    )
  })
  const { invitation, url, emailed } = made
  out.json({ invitation: wireInvitation(invitation), url, emailed })
  out.say(url)
  const what = emailed
    ? `The service also emails this link to ${request.email}.`
    : `Send this link to ${request.email}.`
  out.note(`${what} It works once, for seven days.`)
}

async function list(out: Output, { account }: { account?: string }): Promise<void> {
  const { listUsersWithAccounts } = await import('../operator/users/manage-users.js')
  const { wireUser } = await import('../operator/users/user-wire.js')
  const filter = { search: null, accountId: account ?? null }
  const users = await operate(out, ({ world }) => listUsersWithAccounts(world.db, filter, PAGE))
  const listed = users.map(wireUser)
  out.json(listed)
  const rows = listed.map((user) => ({
    ...user,
    accounts: user.accounts.map(({ accountId, role }) => `${accountId} ${role}`),
  }))
  out.table(rows, ['id', 'email', 'name', 'role', 'accounts'])
}

async function changeRole(out: Output, userText: string, roleText: string): Promise<void> {
  const { changeUserRole, findUserId } = await import('../operator/users/manage-users.js')
  const { wireUser } = await import('../operator/users/user-wire.js')
  const role = await readInstallationRole(roleText)
  const user = await operate(out, ({ act }) =>
    act(async (tx, actor, now) => {
      const id = await findUserId(tx, userText)
      return changeUserRole(tx, actor, { id, role }, now)
    }),
  )
  out.json({ user: wireUser(user) })
  out.note(`${user.email}: ${role ?? 'no role for the installation'}.`)
}

async function readInstallationRole(text: string): Promise<InstallationRole | null> {
  const { INSTALLATION_ROLES } = await import('../people/user.js')
  if (text === 'none') return null
  const role = INSTALLATION_ROLES.find((one) => one === text)
  if (role) return role
  throw new UsageFailure(`The role must be one of ${INSTALLATION_ROLES.join(', ')}, or none.`)
}

async function recover(out: Output, userText: string): Promise<void> {
  const { findUserId, recoverUser } = await import('../operator/users/manage-users.js')
  const made = await operate(out, async ({ world, act }) => {
    const { clock, config } = world
    return act(async (tx, actor, now) => {
      const id = await findUserId(tx, userText)
      return recoverUser(tx, actor, id, config, { now, machineNow: clock.machineNow() })
    })
  })
  const { userId, email, expiresAt } = made.invitation
  out.json({ id: userId, expiresAt: expiresAt.toISOString(), url: made.url })
  out.say(made.url)
  out.note(`Give this link only to ${email}. It works once, for one day.`)
}

async function remove(out: Output, userText: string): Promise<void> {
  const { findUserId, removeUser } = await import('../operator/users/manage-users.js')
  const id = await operate(out, ({ act }) =>
    act(async (tx, actor, now) => {
      const found = await findUserId(tx, userText)
      await removeUser(tx, actor, found, now)
      return found
    }),
  )
  out.json({ id })
  out.note(`Deleted ${id}.`)
}
