// The identity provider of a company, by which its people sign in (OpenID Connect).

import { BadSetting, type Env, text } from './setting-reader.js'

export interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: string
  /** On the button of the sign-in page. */
  name: string
  scope: string
  /** The claim that lists a person's groups. */
  groupsClaim: string
  /** Which group gives which role; null as the account: for the installation. */
  groups: readonly { group: string; accountId: string | null; role: string }[]
}

const ISSUER = 'LONGCODE_OIDC_ISSUER'
const ROLES = 'LONGCODE_OIDC_ROLES'

/** Null if nobody signs in that way. */
export function readOidc(env: Env): OidcConfig | null {
  const issuer = text(env, ISSUER)
  if (issuer === null) return null
  if (!URL.canParse(issuer) || !isSafe(new URL(issuer))) {
    throw new BadSetting(
      `${ISSUER} must be an https address such as https://id.example.com, not "${issuer}".`,
    )
  }
  return {
    issuer,
    clientId: required(env, 'LONGCODE_OIDC_CLIENT_ID'),
    clientSecret: required(env, 'LONGCODE_OIDC_CLIENT_SECRET'),
    name: text(env, 'LONGCODE_OIDC_NAME') ?? new URL(issuer).hostname,
    scope: text(env, 'LONGCODE_OIDC_SCOPE') ?? 'openid email profile',
    groupsClaim: text(env, 'LONGCODE_OIDC_GROUPS_CLAIM') ?? 'groups',
    groups: readGroups(text(env, ROLES) ?? ''),
  }
}

/** Plain HTTP only on this machine, for tests. */
function isSafe({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(?:127\.0\.0\.1|localhost)$/.test(hostname))
  )
}

function required(env: Env, name: string): string {
  const value = text(env, name)
  if (value === null) throw new BadSetting(`${name} is required if ${ISSUER} is set.`)
  return value
}

/** As in `ops=operator, acme-staff=acc_01…:agent`. */
function readGroups(list: string): OidcConfig['groups'] {
  const items = list.split(',').filter((item) => item.trim() !== '')
  return items.map((item) => {
    const at = item.lastIndexOf('=')
    const group = item.slice(0, Math.max(0, at)).trim()
    const [first = '', second] = item
      .slice(at + 1)
      .trim()
      .split(':')
    const [accountId, role] = second === undefined ? [null, first] : [first, second]
    if (group === '' || role === '' || accountId === '') {
      throw new BadSetting(
        `${ROLES} must be a list such as ops=operator,acme-staff=acc_01…:agent, not "${item.trim()}".`,
      )
    }
    return { group, accountId, role }
  })
}
