// Where the service may send HTTP on behalf of a customer. Pure: it checks the text of a URL and numeric
// addresses. http-client.ts checks again at connect time, because DNS can change.

import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type AllowList, NOTHING_ALLOWED } from '../allow-list.js'

export interface TargetRule {
  /** True on a developer's machine, where webhooks to loopback are expected. */
  allowPrivate: boolean
  /** Private destinations that are allowed; none by default. */
  allow?: AllowList
  /** In characters as given; default: 2000. */
  maxLength?: number
}

/** `problem` completes the sentence "url …". */
export type TargetCheck = { ok: true; url: URL } | { ok: false; problem: string }

const URL_LENGTH_MAX = 2000
const HOST_LENGTH_MAX = 253

// Azure's metadata and DNS host: a routable address that responds only inside its cloud. The other clouds'
// metadata hosts are in link-local, carrier-grade NAT, and unique-local ranges.
const AZURE_METADATA = '168.63.129.16'

// All assigned global unicast space. Refusing the rest also covers what ipaddr.js wrongly considers unicast:
// ::7f00:1 (IPv4-compatible loopback) and unassigned space.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
const IPV4_MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

// Endings that are never public DNS: reserved by RFC 6761, 6762, and 8375, or by common practice.
const PRIVATE_SUFFIX =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/

// Ports of well-known services that do not use HTTP. A request body sent there could be read as commands, and
// no webhook receiver runs there. Every other port is allowed.
const NON_HTTP_PORTS = new Set([
  7, 9, 13, 19, 20, 21, 22, 23, 25, 37, 53, 69, 79, 110, 111, 113, 119, 123, 135, 137, 139, 143,
  161, 179, 389, 445, 465, 512, 513, 514, 515, 554, 587, 636, 873, 989, 990, 993, 995, 1433, 1521,
  2049, 3306, 3389, 5060, 5061, 5432, 5672, 5900, 6379, 6667, 9042, 11211, 27017,
])

/**
 * True only for an address that anyone on the Internet could reach. Accepts every spelling (`0x7f.1`,
 * `[::1]`, `2130706433`). Invalid addresses, and those with a zone, are not public.
 */
export function isPublicAddress(ip: string): boolean {
  const bare = ip.startsWith('[') && ip.endsWith(']') ? ip.slice(1, -1) : ip
  if (bare.includes('%')) return false
  if (isIPv6(bare)) return isPublicIpv6(ipaddr.IPv6.parse(bare))
  const canonical = canonicalIpv4(bare)
  return canonical !== null && isPublicIpv4(ipaddr.IPv4.parse(canonical))
}

/** Checks a URL as text. Names are not resolved, so a public name may still be refused later. */
export function checkTargetUrl(text: string, rule: TargetRule): TargetCheck {
  const maxLength = rule.maxLength ?? URL_LENGTH_MAX
  if (text.length > maxLength) return refuse(`must be at most ${maxLength} characters`)
  if (!/^https?:\/\//i.test(text)) return refuse('must start with http:// or https://')
  // The URL parser silently drops tabs and line ends and reads a backslash as a slash. A client that writes
  // one of these means something other than what would be requested.
  if (/[\s\p{Cc}\\]/u.test(text)) {
    return refuse('must not contain spaces, control characters or backslashes')
  }
  if (!URL.canParse(text)) return refuse(findSyntaxProblem(text))

  const url = new URL(text)
  url.hash = '' // never sent
  const problem =
    findPartProblem(url) ?? (rule.allowPrivate ? null : findPrivateProblem(url, rule.allow))
  return problem === null ? { ok: true, url } : refuse(problem)
}

/** Null if nothing in the URL itself shows that it leads to a private destination. */
export function findPrivateProblem(url: URL, allow: AllowList = NOTHING_ALLOWED): string | null {
  const host = plainHost(url)
  const isAllowed =
    isIP(host) === 0
      ? allow.hasHost(host) || (host.includes('.') && !PRIVATE_SUFFIX.test(host))
      : isPublicAddress(host) || allow.hasAddress(host, host)
  if (!isAllowed) return 'must point to a public address'
  if (NON_HTTP_PORTS.has(Number(url.port))) {
    return `must not use port ${url.port}, which belongs to a service other than HTTP`
  }
  return null
}

function findSyntaxProblem(text: string): string {
  const authority = /^https?:\/\/+([^/?#]*)/i.exec(text)?.[1] ?? ''
  if (authority === '') return 'must name a host'
  if (/\[[^[\]]*%/.test(authority)) return 'must not name an IPv6 zone'
  const port = authority.slice(authority.lastIndexOf(':') + 1)
  if (port !== authority && /^\d+$/.test(port) && Number(port) > 65535) {
    return 'must use a port from 1 to 65535'
  }
  return 'is not a valid web address'
}

function findPartProblem(url: URL): string | null {
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password'
  if (url.port === '0') return 'must use a port from 1 to 65535'
  const host = plainHost(url)
  return isIP(host) !== 0 || isHostName(host) ? null : 'must name a valid host'
}

function isHostName(host: string): boolean {
  if (host.length > HOST_LENGTH_MAX) return false
  return host.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}

/** The host as the URL parser left it (lower case, IDN in ASCII), without brackets or final dot. */
function plainHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** The URL parser knows every spelling of IPv4 that a resolver might accept, so it decides. */
function canonicalIpv4(text: string): string | null {
  if (!/^[0-9a-fx.]+$/i.test(text) || !URL.canParse(`http://${text}`)) return null
  const host = new URL(`http://${text}`).hostname
  return isIP(host) === 4 ? host : null
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== AZURE_METADATA
}

function isPublicIpv6(address: ipaddr.IPv6): boolean {
  // Mapped addresses are how a socket may report IPv4, and NAT64 is how an IPv6-only network reaches it. Both
  // are as public as the IPv4 address inside. Other tunnels (6to4, Teredo, IPv4-compatible and translated
  // forms) are obsolete and refused.
  if (address.match(IPV4_MAPPED) || address.match(NAT64)) {
    return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)))
  }
  return address.match(GLOBAL_UNICAST) && address.range() === 'unicast'
}

function refuse(problem: string): TargetCheck {
  return { ok: false, problem }
}
