// Accounts and audit log entries in operator responses.

import { type Static, Type } from 'typebox'
import { ACCOUNT_STATUSES } from '../../accounts/account.js'
import { ACTOR_KINDS, ACTS, type AuditEntry } from '../../accounts/audit.js'
import { NullableString, Timestamp } from '../../kit/contract/schema.js'
import { toDollars } from '../../kit/money.js'
import type { OperatedAccount } from './manage-accounts.js'

const Days = Type.Unsafe<number | null>({
  title: 'DaysKept',
  type: ['integer', 'null'],
  description: 'Days; null: for as long as the account exists',
})

export const OperatedAccountShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    status: Type.Enum([...ACCOUNT_STATUSES]),
    balance: Type.Number({ description: 'dollars' }),
    messageRetentionDays: Days,
    mediaRetentionDays: Days,
    recordRetentionDays: Days,
    createdAt: Timestamp,
  },
  { title: 'OperatedAccount' },
)

export const OPERATED_ACCOUNT_EXAMPLE = {
  id: 'acc_01km3v9w8m0000pqv3t5x7z9bd',
  name: 'Acme Coffee',
  status: 'ACTIVE',
  balance: 50,
  messageRetentionDays: 90,
  mediaRetentionDays: null,
  recordRetentionDays: 730,
  createdAt: '2026-11-15T12:00:00.000Z',
}

export function wireOperatedAccount(account: OperatedAccount): Static<typeof OperatedAccountShape> {
  return {
    id: account.accountId,
    name: account.name,
    status: account.status,
    balance: toDollars(account.balanceMicros),
    messageRetentionDays: account.retention.messageDays,
    mediaRetentionDays: account.retention.mediaDays,
    recordRetentionDays: account.retention.recordDays,
    createdAt: account.createdAt.toISOString(),
  }
}

export const ActField = Type.Enum([...ACTS], { title: 'ActName' })

const NullableRecord = Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'] })

export const AuditEntryShape = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    act: ActField,
    actor: Type.Object({
      kind: Type.Enum([...ACTOR_KINDS]),
      id: Type.Unsafe<string | null>({
        type: ['string', 'null'],
        description: 'The token used; null for the command line',
      }),
      name: Type.String(),
      origin: Type.String({
        description: 'An IP address, or the machine name for the command line',
      }),
      requestId: NullableString,
    }),
    accountId: NullableString,
    subject: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The changed record',
    }),
    before: NullableRecord,
    after: NullableRecord,
  },
  { title: 'AuditEntry' },
)

export const AUDIT_EXAMPLE = {
  id: 'aud_01km3v9w8m0000pqv3t5x7z9bd',
  at: '2026-11-15T12:00:00.000Z',
  act: 'brand.verify',
  actor: {
    kind: 'operator',
    id: 'tok_01km3v9w8m0000pqv3t5x7z9bd',
    name: 'ana',
    origin: '203.0.113.7',
    requestId: 'req_01km3v9w8m0000pqv3t5x7z9bd',
  },
  accountId: OPERATED_ACCOUNT_EXAMPLE.id,
  subject: 'brd_01km3v9w8m0000pqv3t5x7z9bd',
  before: { status: 'PENDING' },
  after: { status: 'VERIFIED' },
}

export function wireAuditEntry(entry: AuditEntry): Static<typeof AuditEntryShape> {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    act: entry.act,
    actor: entry.actor,
    accountId: entry.accountId,
    subject: entry.subject,
    before: entry.before as Record<string, unknown> | null,
    after: entry.after as Record<string, unknown> | null,
  }
}
