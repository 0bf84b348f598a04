// Requests, responses, and errors of a person's own profile: name, password, second factors, and sessions.

import { Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import {
  IdParams,
  Noun,
  NullableTimestamp,
  PathText,
  Timestamp,
} from '../../kit/contract/schema.js'
import { Password, PersonName } from '../../people/people-wire.js'
import { NAME_LENGTH_MAX } from '../../people/user.js'
import {
  action,
  base,
  Code,
  HEADER,
  NEW_PASSKEY_EXAMPLE,
  NewPasskey,
  PASSKEY_START_EXAMPLE,
  PasskeyStart,
  Ticket,
} from './sign-in-operations.js'

const ONLY_PEOPLE = `For people who signed in, not for tokens. ${HEADER}`

/** The current password, where a stolen session must not be enough. Absent if the person has none. */
const Current = Type.Optional(
  Type.String({ ...Password, description: 'The current password. Required if you have one' }),
)

/** The body of an operation that the person confirms with the password. */
const confirmed = {
  body: Type.Object({ current: Current }),
  bodyExample: { current: 'correct horse battery' },
} as const

const ProfileShape = Noun('Profile', {
  userId: Type.String(),
  name: Type.String(),
  email: Type.String(),
  hasPassword: Type.Boolean(),
  hasTotp: Type.Boolean({ description: 'Whether an authenticator app is set up' }),
  passkeys: Type.Array(
    Noun('ProfilePasskey', {
      id: Type.String(),
      name: Type.String(),
      createdAt: Timestamp,
      lastUsedAt: NullableTimestamp,
    }),
  ),
  sessions: Type.Array(
    Noun('ProfileSession', {
      id: Type.String(),
      isCurrent: Type.Boolean(),
      address: Type.String(),
      userAgent: Type.String(),
      createdAt: Timestamp,
      lastUsedAt: Timestamp,
      expiresAt: Timestamp,
    }),
  ),
})

export const GET_PROFILE = operation({
  ...base,
  id: 'getProfile',
  summary: 'Get your profile',
  description: ONLY_PEOPLE,
  reply: Type.Object({ profile: ProfileShape }),
  example: {
    profile: {
      userId: 'usr_01km3v9w8m0000pqv3t5x7z9bd',
      name: 'Ana Silva',
      email: 'ana@example.com',
      hasPassword: true,
      hasTotp: true,
      passkeys: [],
      sessions: [],
    },
  },
  failure: { profile: null },
  refuses: ['session_absent'],
})

export const CHANGE_NAME = operation({
  ...action,
  id: 'changeProfile',
  summary: 'Change your name',
  description: ONLY_PEOPLE,
  body: Type.Object({ name: PersonName }),
  bodyExample: { name: 'Ana Silva' },
  refuses: ['session_absent', 'write_unmarked'],
})

export const CHANGE_PASSWORD = operation({
  ...action,
  id: 'changePassword',
  summary: 'Change your password',
  description: `Ends your other sessions. ${ONLY_PEOPLE}`,
  body: Type.Object({ current: Current, password: Password }),
  bodyExample: { current: 'correct horse battery', password: 'stapled rain umbrella' },
  refuses: ['session_absent', 'sign_in_refused', 'sign_in_limited', 'write_unmarked'],
})

export const START_TOTP = operation({
  ...base,
  id: 'startAuthenticatorApp',
  summary: 'Start setting up an authenticator app',
  description: `Returns a new secret, which counts once it is confirmed with a code. ${ONLY_PEOPLE}`,
  ...confirmed,
  reply: Type.Object({
    success: Type.Literal(true),
    secret: Type.String(),
    uri: Type.String({ description: 'For a QR code' }),
  }),
  example: {
    success: true,
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Longcode:ana%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Longcode',
  },
  refuses: ['session_absent', 'sign_in_refused', 'sign_in_limited', 'write_unmarked'],
})

export const CONFIRM_TOTP = operation({
  ...action,
  id: 'confirmAuthenticatorApp',
  summary: 'Confirm an authenticator app with its first code',
  description: ONLY_PEOPLE,
  body: Type.Object({ code: Code }),
  bodyExample: { code: '123456' },
  refuses: ['session_absent', 'code_refused', 'sign_in_limited', 'write_unmarked'],
})

export const REMOVE_TOTP = operation({
  ...action,
  id: 'removeAuthenticatorApp',
  summary: 'Remove your authenticator app',
  description: ONLY_PEOPLE,
  ...confirmed,
  refuses: ['session_absent', 'sign_in_refused', 'sign_in_limited', 'write_unmarked'],
})

export const START_PASSKEY = operation({
  ...base,
  id: 'startPasskey',
  summary: 'Start adding a passkey',
  description: ONLY_PEOPLE,
  ...confirmed,
  reply: PasskeyStart,
  example: PASSKEY_START_EXAMPLE,
  refuses: ['session_absent', 'sign_in_refused', 'sign_in_limited', 'write_unmarked'],
})

export const ADD_PASSKEY = operation({
  ...action,
  id: 'addPasskey',
  summary: 'Add a passkey',
  description: ONLY_PEOPLE,
  body: Type.Object({
    ticket: Ticket,
    name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: '\\S' }),
    response: NewPasskey,
  }),
  bodyExample: {
    ticket: 'lct_…',
    name: 'Laptop',
    response: NEW_PASSKEY_EXAMPLE,
  },
  refuses: ['session_absent', 'passkey_refused', 'sign_in_expired', 'write_unmarked'],
})

export const REMOVE_PASSKEY = operation({
  ...action,
  id: 'removePasskey',
  summary: 'Remove a passkey',
  description: ONLY_PEOPLE,
  params: Type.Object({ id: PathText() }),
  ...confirmed,
  refuses: [
    'session_absent',
    'passkey_missing',
    'sign_in_refused',
    'sign_in_limited',
    'write_unmarked',
  ],
})

export const END_SESSION = operation({
  ...action,
  id: 'endUserSession',
  summary: 'End one of your sessions',
  description: ONLY_PEOPLE,
  params: IdParams,
  refuses: ['session_absent', 'session_missing', 'write_unmarked'],
})

export const END_OTHER_SESSIONS = operation({
  ...base,
  id: 'endOtherSessions',
  summary: 'End all your sessions except this one',
  description: ONLY_PEOPLE,
  reply: Type.Object({ success: Type.Literal(true), ended: Type.Integer() }),
  example: { success: true, ended: 2 },
  refuses: ['session_absent', 'write_unmarked'],
})
