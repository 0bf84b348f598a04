// Requests, responses, and errors of signing in as a person.

import { Type } from 'typebox'
import { ACCOUNT_ROLES } from '../../accounts/role.js'
import { type OperationInput, operation } from '../../kit/contract/operation.js'
import { IdText, NullableString } from '../../kit/contract/schema.js'
import { LINK_LENGTH_MAX } from '../../people/invite.js'
import { Email, Password, PersonName } from '../../people/people-wire.js'
import { TICKET_LENGTH_MAX } from '../../people/sign-in-step.js'
import { INSTALLATION_ROLES } from '../../people/user.js'

export const HEADER = 'Requires the header `X-Longcode-Console: 1`, which other sites cannot send.'

export const Ticket = Type.String({ minLength: 1, maxLength: TICKET_LENGTH_MAX })
export const Code = Type.String({ minLength: 1, maxLength: 20 })
const LinkCode = Type.String({ minLength: 1, maxLength: LINK_LENGTH_MAX })
const Base64 = Type.String({ maxLength: 10_000 })

/** Responses of the browser's WebAuthn functions: the fields that we read. */
const PasskeyAssertion = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 1_400 }),
  rawId: Type.String({ maxLength: 1_400 }),
  type: Type.String({ maxLength: 20 }),
  response: Type.Object({
    clientDataJSON: Base64,
    authenticatorData: Base64,
    signature: Base64,
    userHandle: Type.Optional(Base64),
  }),
})

export const NewPasskey = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 1_400 }),
  rawId: Type.String({ maxLength: 1_400 }),
  type: Type.String({ maxLength: 20 }),
  response: Type.Object({
    clientDataJSON: Base64,
    attestationObject: Base64,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
  }),
})

/** A ticket and what the browser needs. */
export const PasskeyStart = Type.Object({
  success: Type.Literal(true),
  ticket: Type.String(),
  options: Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'For the browser’s WebAuthn functions, as JSON',
  }),
})
export const PASSKEY_START_EXAMPLE = {
  success: true,
  ticket: 'lct_…',
  options: { challenge: 'p5aV2uHXr0AOqUk7HQitvi-Ny1p', rpId: 'longcode.example' },
}

/** What all operations of people share. */
export const base = {
  tag: 'Console',
  isExtension: true,
  scope: null,
  failure: { success: false },
} as const satisfies Partial<OperationInput>

/** An operation that returns nothing but its success. */
export const action = {
  ...base,
  reply: Type.Object({ success: Type.Literal(true) }),
  example: { success: true },
} as const satisfies Partial<OperationInput>

/** The response of a browser in examples, without what the two kinds differ in. */
const PASSKEY_EXAMPLE = { id: 'AaFdk', rawId: 'AaFdk', type: 'public-key' }
export const NEW_PASSKEY_EXAMPLE = {
  ...PASSKEY_EXAMPLE,
  response: { clientDataJSON: 'eyJ0', attestationObject: 'o2Nm' },
}

export const SIGN_IN_PASSWORD = operation({
  ...base,
  id: 'signInWithPassword',
  summary: 'Sign in with an email address and a password',
  description: `Starts a seven-day session in a cookie, or returns a ticket if a second factor is missing. An unknown address and a wrong password get the same response. At most 10 failures for an email from one network address, 100 for an email, and 100 from one network address in 15 minutes. ${HEADER}`,
  body: Type.Object({ email: Email, password: Password }),
  bodyExample: { email: 'ana@example.com', password: 'correct horse battery' },
  reply: Type.Object({
    success: Type.Literal(true),
    ticket: {
      ...NullableString,
      description: 'For the second factor. null: the person is signed in',
    },
    factors: Type.Array(Type.Enum(['totp', 'passkey'])),
  }),
  example: { success: true, ticket: 'lct_…', factors: ['totp'] },
  refuses: ['sign_in_refused', 'sign_in_limited', 'write_unmarked'],
})

export const SIGN_IN_CODE = operation({
  ...action,
  id: 'signInWithCode',
  summary: 'Complete a sign-in with a code from an authenticator app',
  description: HEADER,
  body: Type.Object({ ticket: Ticket, code: Code }),
  bodyExample: { ticket: 'lct_…', code: '123456' },
  refuses: ['code_refused', 'sign_in_expired', 'sign_in_limited', 'write_unmarked'],
})

export const START_PASSKEY_SIGN_IN = operation({
  ...base,
  id: 'startPasskeySignIn',
  summary: 'Start a sign-in with a passkey',
  description: HEADER,
  reply: PasskeyStart,
  example: PASSKEY_START_EXAMPLE,
  refuses: ['sign_in_limited', 'write_unmarked'],
})

export const SIGN_IN_PASSKEY = operation({
  ...action,
  id: 'signInWithPasskey',
  summary: 'Sign in with a passkey',
  description: HEADER,
  body: Type.Object({ ticket: Ticket, response: PasskeyAssertion }),
  bodyExample: {
    ticket: 'lct_…',
    response: {
      ...PASSKEY_EXAMPLE,
      response: { clientDataJSON: 'eyJ0', authenticatorData: 'SZYN', signature: 'MEUC' },
    },
  },
  refuses: ['passkey_refused', 'sign_in_expired', 'write_unmarked'],
})

export const SWITCH_ACCOUNT = operation({
  ...action,
  id: 'switchAccount',
  summary: 'Show another account in this session',
  description: `Applies to all tabs. ${HEADER}`,
  body: Type.Object({ accountId: IdText() }),
  bodyExample: { accountId: 'acc_01km3v9w8m0000pqv3t5x7z9bd' },
  refuses: ['session_absent', 'membership_absent', 'write_unmarked'],
})

export const SHOW_INVITATION = operation({
  ...base,
  id: 'showInvitation',
  summary: 'Get what a one-time link is for',
  description: `Changes nothing. ${HEADER}`,
  body: Type.Object({ code: LinkCode }),
  bodyExample: { code: 'lci_…' },
  reply: Type.Object({
    success: Type.Literal(true),
    kind: Type.Enum(['invitation', 'recovery']),
    email: Type.String(),
    accountName: NullableString,
    role: Type.Union([Type.Enum([...ACCOUNT_ROLES, ...INSTALLATION_ROLES]), Type.Null()]),
    invitedBy: Type.String(),
    hasUser: Type.Boolean({
      description: 'Whether the person has a user already, and joins by signing in',
    }),
  }),
  example: {
    success: true,
    kind: 'invitation',
    email: 'ben@example.com',
    accountName: 'Acme Coffee',
    role: 'developer',
    invitedBy: 'Ana Silva',
    hasUser: false,
  },
  refuses: ['invitation_missing', 'invitation_used', 'write_unmarked'],
})

export const ACCEPT_INVITATION = operation({
  ...action,
  id: 'acceptInvitation',
  summary: 'Accept an invitation, or set a new password by a recovery link',
  description: `Signs the person in. Someone who has a user already signs in first and sends only \`code\`. A recovery removes all second factors and sessions. ${HEADER}`,
  body: Type.Object({
    code: LinkCode,
    name: Type.Optional(PersonName),
    password: Type.Optional(Password),
  }),
  bodyExample: { code: 'lci_…', name: 'Ben Okafor', password: 'correct horse battery' },
  refuses: [
    'invitation_missing',
    'invitation_used',
    'sign_in_first',
    'last_owner',
    'write_unmarked',
  ],
})
