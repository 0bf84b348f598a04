// People and invitations as JSON.

import { type Static, Type } from 'typebox'
import { ACCOUNT_ROLES } from '../accounts/role.js'
import { Noun, NullableString, NullableTimestamp, Timestamp } from '../kit/contract/schema.js'
import type { Invitation } from './invitation-queries.js'
import {
  type AccountPerson,
  EMAIL_LENGTH_MAX,
  INSTALLATION_ROLES,
  NAME_LENGTH_MAX,
  PASSWORD_LENGTH_MAX,
} from './user.js'

export const Role = Type.Enum([...ACCOUNT_ROLES], {
  description: 'What the person may do in the account',
  'x-expects': `must be one of ${ACCOUNT_ROLES.join(', ')}`,
})

export const Email = Type.String({ minLength: 1, maxLength: EMAIL_LENGTH_MAX })
export const PersonName = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' })
export const Password = Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH_MAX })

export const PersonShape = Noun('Person', {
  id: Type.String(),
  name: Type.String(),
  email: Type.String(),
  role: Role,
  hasSecondFactor: Type.Boolean({
    description: 'Whether they have a passkey or an authenticator app',
  }),
  createdAt: { ...Timestamp, description: 'When they joined the account' },
  lastSeenAt: NullableTimestamp,
})

export const InvitationShape = Noun('Invitation', {
  id: Type.String(),
  email: Type.String(),
  accountId: NullableString,
  role: Type.Enum([...ACCOUNT_ROLES, ...INSTALLATION_ROLES]),
  invitedBy: Type.String(),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})

export const Emailed = Type.Boolean({
  description:
    'Whether an email with the link is on its way to the person: requires LONGCODE_SMTP_URL, at most 50 per hour',
})

/** The link itself, which no record has. */
export const LinkUrl = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description:
    'Send it to the person. It works once. null if an Idempotency-Key replays the response: the link is not stored',
})

export const PERSON_EXAMPLE = {
  id: 'usr_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'Ana Silva',
  email: 'ana@example.com',
  role: 'agent',
  hasSecondFactor: true,
  createdAt: '2026-11-15T12:00:00.000Z',
  lastSeenAt: null,
}

export const INVITATION_EXAMPLE = {
  id: 'inv_01km3v9w8m0000pqv3t5x7z9bd',
  email: 'ben@example.com',
  accountId: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
  role: 'developer',
  invitedBy: 'Ana Silva',
  createdAt: '2026-11-15T12:00:00.000Z',
  expiresAt: '2026-11-22T12:00:00.000Z',
}

export function wirePerson(person: AccountPerson): Static<typeof PersonShape> {
  const { id, name, email, role, hasSecondFactor, createdAt, lastSeenAt } = person
  return {
    id,
    name,
    email,
    role,
    hasSecondFactor,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt?.toISOString() ?? null,
  }
}

export function wireInvitation(invitation: Invitation): Static<typeof InvitationShape> {
  const { id, email, accountId, role, invitedBy, createdAt, expiresAt } = invitation
  return {
    id,
    email,
    accountId,
    role: role!,
    invitedBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  }
}
