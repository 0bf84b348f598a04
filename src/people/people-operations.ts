// Requests, responses, and errors of the endpoints for the people of an account.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { HasMore, IdParams, PageQuery } from '../kit/contract/schema.js'
import {
  Email,
  Emailed,
  INVITATION_EXAMPLE,
  InvitationShape,
  LinkUrl,
  PERSON_EXAMPLE,
  PersonShape,
  Role,
} from './people-wire.js'

const MANAGERS =
  'For people with the role `owner` or `admin`, and for tokens with every scope. Only an owner manages owners.'

export const LIST_PEOPLE = operation({
  id: 'listPeople',
  tag: 'Console',
  summary: 'List the people of the account, newest first',
  isExtension: true,
  scope: 'read',
  query: PageQuery,
  reply: Type.Object({ people: Type.Array(PersonShape), hasMore: HasMore }),
  example: { people: [PERSON_EXAMPLE], hasMore: false },
  failure: { people: [] },
})

export const LIST_INVITATIONS = operation({
  id: 'listInvitations',
  tag: 'Console',
  summary: 'List open invitations to the account, newest first',
  description: MANAGERS,
  isExtension: true,
  scope: 'manage',
  query: PageQuery,
  reply: Type.Object({ invitations: Type.Array(InvitationShape), hasMore: HasMore }),
  example: { invitations: [INVITATION_EXAMPLE], hasMore: false },
  failure: { invitations: [] },
  refuses: ['role_absent'],
})

export const INVITE = operation({
  id: 'invitePerson',
  tag: 'Console',
  summary: 'Invite a person to the account',
  description: `Returns a link that works once, for seven days. A new invitation for the same address replaces the previous one. ${MANAGERS}`,
  isExtension: true,
  scope: 'manage',
  body: Type.Object({ email: Email, role: Role }),
  bodyExample: { email: 'ben@example.com', role: 'developer' },
  reply: Type.Object({
    success: Type.Literal(true),
    invitation: InvitationShape,
    url: LinkUrl,
    emailed: Emailed,
  }),
  example: {
    success: true,
    invitation: INVITATION_EXAMPLE,
    url: 'https://longcode.example/console/join#k=lci_…',
    emailed: true,
  },
  failure: { success: false },
  refuses: ['role_absent', 'owner_required'],
})

export const WITHDRAW = operation({
  id: 'withdrawInvitation',
  tag: 'Console',
  summary: 'Withdraw an invitation to the account',
  description: MANAGERS,
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: INVITATION_EXAMPLE.id },
  failure: { success: false },
  refuses: ['role_absent', 'invitation_missing'],
})

export const CHANGE_ROLE = operation({
  id: 'changePersonRole',
  tag: 'Console',
  summary: 'Change the role of a person in the account',
  description: `Applies to the next request of the person, and ends their event streams if they may no longer read. ${MANAGERS}`,
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  body: Type.Object({ role: Role }),
  bodyExample: { role: 'admin' },
  reply: Type.Object({ success: Type.Literal(true), person: PersonShape }),
  example: { success: true, person: { ...PERSON_EXAMPLE, role: 'admin' } },
  failure: { success: false },
  refuses: ['role_absent', 'owner_required', 'last_owner', 'person_missing'],
})

export const REMOVE = operation({
  id: 'removePerson',
  tag: 'Console',
  summary: 'Remove a person from the account',
  description: `Applies immediately. Access tokens that the person created stay valid, because programs use them, unless \`tokens\` is \`revoke\`. ${MANAGERS}`,
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  query: Type.Object({
    tokens: Type.Optional(
      Type.Enum(['keep', 'revoke'], {
        description: 'What happens to access tokens that the person created. Default: keep',
      }),
    ),
  }),
  reply: Type.Object({
    success: Type.Literal(true),
    id: Type.String(),
    revokedTokens: Type.Array(Type.String()),
  }),
  example: { success: true, id: PERSON_EXAMPLE.id, revokedTokens: [] },
  failure: { success: false },
  refuses: ['role_absent', 'owner_required', 'last_owner', 'person_missing'],
})
