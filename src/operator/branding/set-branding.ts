// Changes what an account sees instead of our name and mark, and merges it with that of the installation.

import type { AccountId } from '../../accounts/account.js'
import { getAccount } from '../../accounts/account-queries.js'
import type { Actor } from '../../accounts/audit.js'
import { recordAct } from '../../accounts/audit-queries.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import type { Queryable, Transaction } from '../../kit/postgres/db.js'
import {
  type Branding,
  COLOR_EXPECTS,
  isColor,
  isSupportAddress,
  LOGO_EXPECTS,
  type Logo,
  readLogo,
  SUPPORT_EXPECTS,
} from '../../kit/settings/branding-rules.js'
import { findBranding, saveBranding } from './branding-queries.js'

export const NO_BRANDING: Branding = { name: null, color: null, support: null, logo: null }

export interface BrandingChange {
  name?: string | null
  color?: string | null
  support?: string | null
  /** Base64. */
  logo?: string | null
}

export async function getBranding(db: Queryable, id: string): Promise<Branding> {
  const { accountId } = await getAccount(db, id)
  return (await findBranding(db, accountId)) ?? NO_BRANDING
}

/** What the account sees: its own values, or else those of the installation. */
export function mergeBranding(own: Branding | null, ours: Branding): Branding {
  return {
    name: own?.name ?? ours.name,
    color: own?.color ?? ours.color,
    support: own?.support ?? ours.support,
    logo: own?.logo ?? ours.logo,
  }
}

/** Omitted fields stay unchanged. */
export async function setBranding(
  tx: Transaction,
  actor: Actor,
  id: string,
  change: BrandingChange,
  now: Date,
): Promise<Branding> {
  const { accountId } = await getAccount(tx, id)
  const before = (await findBranding(tx, accountId)) ?? NO_BRANDING
  const after = { ...before, ...checked(change) }
  await saveBranding(tx, accountId, after, now)
  await recordAct(tx, actor, actOf(accountId, before, after), now)
  return after
}

function checked({ logo, ...texts }: BrandingChange): Partial<Branding> {
  const { color, support } = texts
  if (color && !isColor(color)) throw fieldRefusal('color', COLOR_EXPECTS)
  if (support && !isSupportAddress(support)) throw fieldRefusal('support', SUPPORT_EXPECTS)
  const values = Object.entries(texts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value?.trim() || null])
  return {
    ...Object.fromEntries(values),
    ...(color && { color: color.toLowerCase() }),
    ...(logo !== undefined && { logo: logo === null ? null : logoFrom(logo) }),
  }
}

function logoFrom(base64: string): Logo {
  const logo = readLogo(Buffer.from(base64, 'base64'))
  if (logo === null) throw fieldRefusal('logo', LOGO_EXPECTS)
  return logo
}

/** A logo is named by its hash: the audit log has no files. */
function actOf(accountId: AccountId, before: Branding, after: Branding) {
  const wordsOf = ({ logo, ...texts }: Branding) => ({ ...texts, logo: logo?.hash ?? null })
  return {
    act: 'account.branding',
    accountId,
    subject: accountId,
    before: wordsOf(before),
    after: wordsOf(after),
  } as const
}
