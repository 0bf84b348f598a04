// The people of an account, for the console and for tokens with every scope.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Caller } from '../accounts/account.js'
import { customerOf } from '../accounts/audit.js'
import { managesPeople } from '../accounts/role.js'
import { SCOPES } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import { cutPage, pageOf } from '../kit/contract/schema.js'
import { isId } from '../kit/ids.js'
import type { World } from '../kit/world.js'
import { listInvitations } from './invitation-queries.js'
import { invitePerson, withdrawInvitation } from './invite.js'
import { changeRole, checkRank, type Manager, removePerson } from './manage-people.js'
import { listPeople } from './membership-queries.js'
import {
  CHANGE_ROLE,
  INVITE,
  LIST_INVITATIONS,
  LIST_PEOPLE,
  REMOVE,
  WITHDRAW,
} from './people-operations.js'
import { wireInvitation, wirePerson } from './people-wire.js'
import { readEmail } from './user.js'

export const peopleRoutes: FastifyPluginAsyncTypebox<World> = async (
  app,
  { db, clock, hints, config },
) => {
  const times = () => ({ now: clock.now(), machineNow: clock.machineNow() })

  app.get('/console/people', LIST_PEOPLE, async ({ caller, query }) => {
    const page = pageOf(query)
    const { rows, hasMore } = cutPage(await listPeople(db, caller.accountId, page), page)
    return { people: rows.map(wirePerson), hasMore }
  })

  app.get('/console/people/invitation', LIST_INVITATIONS, async (request) => {
    const { caller, query } = request
    managerOf(request)
    const page = pageOf(query)
    const open = { accountId: caller.accountId, now: clock.machineNow() }
    const { rows, hasMore } = cutPage(await listInvitations(db, open, page), page)
    return { invitations: rows.map(wireInvitation), hasMore }
  })

  app.post('/console/people/invitation', INVITE, async (request) => {
    const manager = managerOf(request)
    const email = readEmail(request.body.email)
    const { role } = request.body
    checkRank(manager, [role])
    const { accountId } = request.caller
    return request.once<InviteAnswer>(
      async (tx) => {
        const invite = { email, role, accountId }
        const made = await invitePerson(tx, manager.actor, invite, config, times())
        return { success: true, ...made, invitation: wireInvitation(made.invitation) }
      },
      (answer) => ({ ...answer, url: null }),
    )
  })

  app.delete('/console/people/invitation/:id', WITHDRAW, async (request) => {
    const { actor } = managerOf(request)
    const { id } = request.params
    if (!isId('inv', id)) throw new Refusal('invitation_missing')
    const { accountId } = request.caller
    return request.once(async (tx) => {
      await withdrawInvitation(tx, actor, { id, accountId }, clock.now())
      return { success: true as const, id }
    })
  })

  app.patch('/console/people/:id', CHANGE_ROLE, async (request) => {
    const manager = managerOf(request)
    const { params, body, caller } = request
    const person = { accountId: caller.accountId, userId: userIdOf(params.id) }
    const answer = await request.once(async (tx) => {
      const changed = await changeRole(tx, manager, person, body.role, clock.now())
      return { success: true as const, person: wirePerson(changed) }
    })
    hints.notify('tokens')
    return answer
  })

  app.delete('/console/people/:id', REMOVE, async (request) => {
    const manager = managerOf(request)
    const { params, query, caller } = request
    const revokesTokens = query.tokens === 'revoke'
    const userId = userIdOf(params.id)
    const person = { accountId: caller.accountId, userId, revokesTokens }
    const answer = await request.once(async (tx) => {
      const revokedTokens = await removePerson(tx, manager, person, clock.now())
      return { success: true as const, id: userId, revokedTokens }
    })
    hints.notify('tokens')
    return answer
  })
}

interface InviteAnswer {
  success: true
  invitation: ReturnType<typeof wireInvitation>
  url: string | null
  emailed: boolean
}

/** A token with every scope could do anything else, so it manages people like an owner. */
function managerOf(request: { caller: Caller; ip: string; id: string }): Manager {
  const { person, scopes } = request.caller
  const actor = customerOf(request)
  if (person) {
    if (!managesPeople(person.role)) throw new Refusal('role_absent')
    return { actor, role: person.role }
  }
  if (SCOPES.some((scope) => !scopes.includes(scope))) {
    throw new Refusal(
      'role_absent',
      'Managing people requires a token with every scope, or an owner or admin who is signed in.',
    )
  }
  return { actor, role: 'owner' }
}

function userIdOf(id: string): string {
  if (!isId('usr', id)) throw new Refusal('person_missing')
  return id
}
