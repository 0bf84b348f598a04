// A person who signs in to the console. Users belong to the installation: one person can have roles in several accounts,
// and one role for the installation itself.

import type { AccountId } from '../accounts/account.js'
import type { AccountRole } from '../accounts/role.js'
import { fieldRefusal } from '../kit/contract/refusal.js'

export const INSTALLATION_ROLES = ['operator', 'reviewer', 'support', 'finance'] as const
export type InstallationRole = (typeof INSTALLATION_ROLES)[number]

export type UserId = string

export interface User {
  id: UserId
  email: string
  name: string
  installationRole: InstallationRole | null
  createdAt: Date
  lastSeenAt: Date | null
}

/** Never leaves the service. */
export interface Credentials {
  userId: UserId
  /** argon2id; null: no password. */
  passwordHash: string | null
  /** Base32; null: none, or not confirmed yet. */
  totpSecret: string | null
  /** The time step of the last accepted code. */
  totpStep: number
  passkeys: number
}

export interface Membership {
  accountId: AccountId
  role: AccountRole
}

export interface AccountPerson extends User {
  role: AccountRole
  hasSecondFactor: boolean
}

export const EMAIL_LENGTH_MAX = 254
export const NAME_LENGTH_MAX = 100
export const PASSWORD_LENGTH_MIN = 10
export const PASSWORD_LENGTH_MAX = 200

/** One @ between two parts without spaces. Only a delivered message could prove more. */
const EMAIL = /^[^\s@]{1,64}@[^\s@.]{1,63}(?:\.[^\s@.]{1,63}){1,8}$/

/** Addresses are compared in lower case, and stored that way. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (email.length > EMAIL_LENGTH_MAX || !EMAIL.test(email)) {
    throw fieldRefusal('email', 'must be an email address, for example ana@example.com')
  }
  return email
}

export function readName(text: string): string {
  const name = text.trim().replaceAll(/\s+/g, ' ')
  if (name === '') throw fieldRefusal('name', 'must not be empty')
  return name
}
