// The entries of the audit log: what was done, by whom, and from where. An entry has IDs, states, and
// amounts, but never message texts or secrets.

import type { AccountId } from './account.js'

export const ACTS = [
  'account.create',
  'account.change',
  'account.branding',
  'account.quotas',
  'alert.settings',
  'account.suspend',
  'account.resume',
  'account.credit',
  'account.correct',
  'account.export',
  'account.delete',
  'token.create',
  'token.revoke',
  'operator_token.create',
  'operator_token.revoke',
  'brand.verify',
  'brand.refuse',
  'brand.vet',
  'campaign.approve',
  'campaign.return',
  'campaign.suspend',
  'campaign.resume',
  'campaign.limits',
  'campaign.end',
  'number.import',
  'number.withdraw',
  'number.hosts',
  'number.forward',
  'number.stop_forwarding',
  'number.allow_forwarding',
  'number.clear_refusal',
  'price.set',
  'webhook.enable',
  'optout.add',
  'optout.remove',
  'message.redact',
  'message.lookup',
  'carrier.add',
  'carrier.reload',
  'smpp.limits',
  'smpp.addresses',
  'carrier.pause',
  'carrier.resume',
  'user.invite',
  'user.withdraw',
  'user.join',
  'user.link',
  'user.sign_in',
  'user.role',
  'user.remove',
  'user.recover',
  'user.recovered',
  'user.password',
  'user.second_factor',
  'user.delete',
] as const
export type ActName = (typeof ACTS)[number]

export const ACTOR_KINDS = ['operator', 'customer', 'command'] as const
type ActorKind = (typeof ACTOR_KINDS)[number]

export interface Actor {
  kind: ActorKind
  /** The token or the person; null on the command line, where the name is the system user. */
  id: string | null
  name: string
  /** An IP address, or the name of the machine. */
  origin: string
  requestId: string | null
}

/** A client that uses the API with an account's token, or a person in the console. */
export function customerOf(request: {
  caller: { tokenId: string; person?: { name: string } }
  ip: string
  id: string
}): Actor {
  const { tokenId, person } = request.caller
  const name = person?.name ?? tokenId
  return { kind: 'customer', id: tokenId, name, origin: request.ip, requestId: request.id }
}

export interface AuditAct {
  act: ActName
  /** Null if it concerns no single account. */
  accountId: AccountId | null
  /** The record that was changed. */
  subject: string | null
  before: object | null
  after: object | null
}

export interface AuditEntry extends AuditAct {
  id: string
  at: Date
  actor: Actor
}
