// The email with the link of an invitation. Queued in the transaction of the invitation, and erased when it is sent. Strangers get
// it, so it is limited, and the name of a person who invites cannot bring an address of a website along.

import { type AccountId, INSTALLATION } from '../accounts/account.js'
import { getAccount } from '../accounts/account-queries.js'
import type { Actor } from '../accounts/audit.js'
import type { Config } from '../kit/config.js'
import type { Transaction } from '../kit/postgres/db.js'
import { type EmailContent, emailTime } from '../mail/email.js'
import {
  cancelEmail,
  deleteOldEmails,
  mayEmailInvitation,
  queueEmail,
} from '../mail/email-queries.js'
import type { Invitation } from './invitation-queries.js'

export type InviteSettings = Pick<Config, 'publicUrl' | 'smtp'>

export interface LinkWithCode {
  invitation: Invitation
  code: string
}

/** The code is in the fragment, which browsers never send and servers never log. */
export function linkUrl(publicUrl: string, code: string): string {
  return `${publicUrl}/console/join#k=${code}`
}

/** Whether an email was queued. */
export async function emailInvitation(
  tx: Transaction,
  actor: Actor,
  made: LinkWithCode,
  { publicUrl, smtp }: InviteSettings,
  machineNow: Date,
): Promise<boolean> {
  if (smtp === null) return false
  const { id: about, email: recipient, accountId } = made.invitation
  const owner = ownerOf(accountId)
  await deleteOldEmails(tx, owner, machineNow)
  if (!(await mayEmailInvitation(tx, owner, machineNow))) return false
  const account = accountId === null ? null : await getAccount(tx, accountId)
  const content = invitationEmail(made, actor, {
    url: linkUrl(publicUrl, made.code),
    accountName: account?.name ?? null,
  })
  return queueEmail(tx, owner, { about, recipient, content }, machineNow)
}

/** The invitation was used, withdrawn, or replaced. */
export async function cancelInvitationEmail(
  tx: Transaction,
  { id: about, email: recipient, accountId }: Pick<Invitation, 'id' | 'email' | 'accountId'>,
): Promise<void> {
  await cancelEmail(tx, ownerOf(accountId), { about, recipient })
}

function ownerOf(accountId: AccountId | null): AccountId {
  return accountId ?? INSTALLATION
}

function invitationEmail(
  { invitation: { role, expiresAt } }: LinkWithCode,
  actor: Actor,
  { url, accountName }: { url: string; accountName: string | null },
): EmailContent {
  const where = accountName === null ? '' : ` to ${accountName}`
  const inviter = isPlainName(actor) ? `${actor.name} invited you` : 'You are invited'
  return {
    subject: accountName === null ? `Invitation as ${role}` : `Invitation to ${accountName}`,
    paragraphs: [
      `${inviter}${where} with the role ${role}.`,
      `Open the link to choose your name and a password. If you have a password here already, sign in with it. The link works once, until ${emailTime(expiresAt)}.`,
    ],
    link: { url, label: 'Accept the invitation' },
    reason:
      'You get this email because someone entered your address to invite you. If you did not expect it, ignore it.',
  }
}

/** A person, not a token, whose name has no address that a mail program would turn into a link. */
function isPlainName({ id, name }: Actor): boolean {
  return id?.startsWith('usr_') === true && !/[/:@]|\.\S/.test(name)
}
