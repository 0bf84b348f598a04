// Requests, responses, and errors of the operator's endpoints for people.

import { Type } from 'typebox'
import { ACCOUNT_ROLES } from '../../accounts/role.js'
import { operation } from '../../kit/contract/operation.js'
import {
  HasMore,
  IdParams,
  IdText,
  Noun,
  NullableTimestamp,
  PageQuery,
  pageQueryWith,
  Timestamp,
} from '../../kit/contract/schema.js'
import {
  Email,
  Emailed,
  INVITATION_EXAMPLE,
  InvitationShape,
  LinkUrl,
  PERSON_EXAMPLE,
} from '../../people/people-wire.js'
import { INSTALLATION_ROLES } from '../../people/user.js'

const ROLES = [...ACCOUNT_ROLES, ...INSTALLATION_ROLES] as const

const InstallationRoleShape = Type.Union([Type.Enum([...INSTALLATION_ROLES]), Type.Null()], {
  description: 'What the person may do for the whole installation. null: nothing',
  'x-expects': `must be one of ${INSTALLATION_ROLES.join(', ')}, or null`,
})

const UserShape = Noun('User', {
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: InstallationRoleShape,
  accounts: Type.Array(
    Noun('UserMembership', { accountId: Type.String(), role: Type.Enum([...ACCOUNT_ROLES]) }),
  ),
  createdAt: Timestamp,
  lastSeenAt: NullableTimestamp,
})

const USER_EXAMPLE = {
  id: PERSON_EXAMPLE.id,
  name: PERSON_EXAMPLE.name,
  email: PERSON_EXAMPLE.email,
  role: 'support',
  accounts: [{ accountId: INVITATION_EXAMPLE.accountId, role: 'agent' }],
  createdAt: PERSON_EXAMPLE.createdAt,
  lastSeenAt: null,
}

const LINK_EXAMPLE = 'https://longcode.example/console/join#k=lci_…'

export const LIST_USERS = operation({
  id: 'operatorListUsers',
  tag: 'Operator',
  summary: 'List people, newest first',
  isExtension: true,
  scope: 'operator',
  query: pageQueryWith({
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'An ID, or part of a name or email',
      }),
    ),
    accountId: Type.Optional(IdText({ description: 'Only people of this account' })),
  }),
  reply: Type.Object({ users: Type.Array(UserShape), hasMore: HasMore }),
  example: { users: [USER_EXAMPLE], hasMore: false },
  failure: { users: [] },
})

export const LIST_USER_INVITATIONS = operation({
  id: 'operatorListInvitations',
  tag: 'Operator',
  summary: 'List open invitations to the installation, newest first',
  isExtension: true,
  scope: 'operator',
  query: PageQuery,
  reply: Type.Object({ invitations: Type.Array(InvitationShape), hasMore: HasMore }),
  example: {
    invitations: [{ ...INVITATION_EXAMPLE, accountId: null, role: 'reviewer' }],
    hasMore: false,
  },
  failure: { invitations: [] },
})

export const INVITE_USER = operation({
  id: 'operatorInviteUser',
  tag: 'Operator',
  summary: 'Invite a person to an account or to the installation',
  description: `With \`accountId\`, \`role\` is one of ${ACCOUNT_ROLES.join(', ')}. Without it, one of ${INSTALLATION_ROLES.join(', ')}. The link works once, for seven days.`,
  isExtension: true,
  scope: 'operator',
  body: Type.Object({
    email: Email,
    accountId: Type.Optional(IdText()),
    role: Type.Enum([...ROLES], { 'x-expects': `must be one of ${ROLES.join(', ')}` }),
  }),
  bodyExample: { email: 'ana@example.com', role: 'support' },
  reply: Type.Object({
    success: Type.Literal(true),
    invitation: InvitationShape,
    url: LinkUrl,
    emailed: Emailed,
  }),
  example: { success: true, invitation: INVITATION_EXAMPLE, url: LINK_EXAMPLE, emailed: true },
  failure: { success: false },
  refuses: ['account_missing', 'account_state'],
})

export const WITHDRAW_USER_INVITATION = operation({
  id: 'operatorWithdrawInvitation',
  tag: 'Operator',
  summary: 'Withdraw an invitation to the installation',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: INVITATION_EXAMPLE.id },
  failure: { success: false },
  refuses: ['invitation_missing'],
})

export const CHANGE_USER = operation({
  id: 'operatorChangeUser',
  tag: 'Operator',
  summary: 'Change what a person may do for the installation',
  description: 'Applies to their next request. Their roles in accounts stay.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Object({ role: InstallationRoleShape }),
  bodyExample: { role: 'reviewer' },
  reply: Type.Object({ success: Type.Literal(true), user: UserShape }),
  example: { success: true, user: { ...USER_EXAMPLE, role: 'reviewer' } },
  failure: { success: false },
  refuses: ['person_missing'],
})

export const RECOVER_USER = operation({
  id: 'operatorRecoverUser',
  tag: 'Operator',
  summary: 'Make a one-time link for a person who cannot sign in',
  description:
    'The person sets a new password with it. That removes their passkeys, their authenticator app, and their sessions. The link works once, for one day. Give it only to that person: it is as good as their password.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({
    success: Type.Literal(true),
    id: Type.String(),
    expiresAt: Timestamp,
    url: LinkUrl,
  }),
  example: {
    success: true,
    id: USER_EXAMPLE.id,
    expiresAt: '2026-11-16T12:00:00.000Z',
    url: LINK_EXAMPLE,
  },
  failure: { success: false },
  refuses: ['person_missing'],
})

export const DELETE_USER = operation({
  id: 'operatorDeleteUser',
  tag: 'Operator',
  summary: 'Delete a person',
  description:
    'Removes their roles, sessions, and credentials immediately. The audit log keeps their name. An account whose only owner was deleted has none until you invite another.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ success: Type.Literal(true), id: Type.String() }),
  example: { success: true, id: USER_EXAMPLE.id },
  failure: { success: false },
  refuses: ['person_missing'],
})
