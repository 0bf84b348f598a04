// The operator's endpoints for people.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Refusal } from '../../kit/contract/refusal.js'
import { cutPage, pageOf } from '../../kit/contract/schema.js'
import { isId } from '../../kit/ids.js'
import type { World } from '../../kit/world.js'
import { listInvitations } from '../../people/invitation-queries.js'
import { withdrawInvitation } from '../../people/invite.js'
import { wireInvitation } from '../../people/people-wire.js'
import { readEmail } from '../../people/user.js'
import { actorOf } from '../operator-token.js'
import {
  changeUserRole,
  inviteUser,
  listUsersWithAccounts,
  recoverUser,
  removeUser,
} from './manage-users.js'
import {
  CHANGE_USER,
  DELETE_USER,
  INVITE_USER,
  LIST_USER_INVITATIONS,
  LIST_USERS,
  RECOVER_USER,
  WITHDRAW_USER_INVITATION,
} from './user-operations.js'
import { wireUser } from './user-wire.js'

export const operatorUserRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock, hints, config },
) => {
  const times = () => ({ now: clock.now(), machineNow: clock.machineNow() })

  app.get('/user/list', LIST_USERS, async ({ query }) => {
    const page = pageOf(query)
    const filter = { search: query.search ?? null, accountId: query.accountId ?? null }
    const { rows, hasMore } = cutPage(await listUsersWithAccounts(db, filter, page), page)
    return { users: rows.map(wireUser), hasMore }
  })

  app.get('/user/invitation', LIST_USER_INVITATIONS, async ({ query }) => {
    const page = pageOf(query)
    const open = { accountId: null, now: clock.machineNow() }
    const { rows, hasMore } = cutPage(await listInvitations(db, open, page), page)
    return { invitations: rows.map(wireInvitation), hasMore }
  })

  app.post('/user/invitation', INVITE_USER, (request) =>
    request.once<Invited>(
      async (tx) => {
        const { email, accountId = null, role } = request.body
        const invite = { email: readEmail(email), accountId, role }
        const made = await inviteUser(tx, actorOf(request), invite, config, times())
        return { success: true, ...made, invitation: wireInvitation(made.invitation) }
      },
      (answer) => ({ ...answer, url: null }),
    ),
  )

  app.delete('/user/invitation/:id', WITHDRAW_USER_INVITATION, (request) =>
    request.once(async (tx) => {
      const { id } = request.params
      if (!isId('inv', id)) throw new Refusal('invitation_missing')
      await withdrawInvitation(tx, actorOf(request), { id, accountId: null }, clock.now())
      return { success: true as const, id }
    }),
  )

  app.patch('/user/:id', CHANGE_USER, (request) =>
    request.once(async (tx) => {
      const change = { id: request.params.id, role: request.body.role }
      const user = await changeUserRole(tx, actorOf(request), change, clock.now())
      return { success: true as const, user: wireUser(user) }
    }),
  )

  app.post('/user/:id/recover', RECOVER_USER, (request) =>
    request.once<{ success: true; id: string; expiresAt: string; url: Link }>(
      async (tx) => {
        const { id } = request.params
        const { invitation, url } = await recoverUser(tx, actorOf(request), id, config, times())
        return { success: true, id, expiresAt: invitation.expiresAt.toISOString(), url }
      },
      (answer) => ({ ...answer, url: null }),
    ),
  )

  app.delete('/user/:id', DELETE_USER, async (request) => {
    const answer = await request.once(async (tx) => {
      await removeUser(tx, actorOf(request), request.params.id, clock.now())
      return { success: true as const, id: request.params.id }
    })
    hints.notify('tokens')
    return answer
  })
}

type Link = string | null

interface Invited {
  success: true
  invitation: ReturnType<typeof wireInvitation>
  url: Link
  emailed: boolean
}
