// Private destinations that the operator allows for webhooks: host names, addresses, and networks. Everything
// else stays guarded by public-address.ts. Pure: it checks names and addresses.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface AllowList {
  /** Whether the host is listed: then its addresses may be private. */
  hasHost: (host: string) => boolean
  /** Whether this host may be reached at this address. */
  hasAddress: (host: string, address: string) => boolean
}

export const NOTHING_ALLOWED: AllowList = { hasHost: () => false, hasAddress: () => false }

const IPV4_MAPPED = ipaddr.IPv6.parseCIDR('::ffff:0:0/96')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

// Where clouds serve the keys of a machine. A network or a name never includes these. To allow one, list its
// exact address.
const METADATA: readonly [Address, number][] = [
  '169.254.0.0/16', // link-local: AWS, Google, Azure, ECS, EKS and others
  '100.100.100.200/32', // Alibaba
  '168.63.129.16/32', // Azure
  '192.0.0.192/32', // Oracle
  'fe80::/10',
  'fd00:ec2::/32', // AWS
  'fd20:ce::254/128', // Google
].map((text) => ipaddr.parseCIDR(text))

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/** Null if an item is not a host name, address, or network. */
export function readAllowList(items: readonly string[]): AllowList | null {
  const hosts = new Set<string>()
  const addresses = new Set<string>()
  const networks: [Address, number][] = []
  for (const item of items) {
    const address = readAddress(item)
    const network = address ? null : readNetwork(item)
    const host = item.toLowerCase().replace(/\.$/, '')
    if (address) addresses.add(address.toString())
    else if (network) networks.push(network)
    else if (HOST_NAME.test(host) && !/^[\d.]+$/.test(host)) hosts.add(host)
    else return null
  }
  const hasHost = (host: string): boolean => hosts.has(host.toLowerCase().replace(/\.$/, ''))
  return {
    hasHost,
    hasAddress: (host, text) => {
      const address = readAddress(text)
      if (!address) return false
      if (addresses.has(address.toString())) return true
      if (isIn(METADATA, address)) return false
      return hasHost(host) || isIn(networks, address)
    },
  }
}

/** As a socket may report it: an IPv4 address inside IPv6 is that IPv4 address. */
function readAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (isIP(bare) === 0 || bare.includes('%')) return null
  const address = ipaddr.parse(bare)
  if (!(address instanceof ipaddr.IPv6)) return address
  const holdsIpv4 = address.match(IPV4_MAPPED) || address.match(NAT64)
  return holdsIpv4 ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

function readNetwork(text: string): [Address, number] | null {
  const [address = '', bits = '', ...more] = text.split('/')
  const isNetwork = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && more.length === 0
  if (!isNetwork || Number(bits) > (isIP(address) === 4 ? 32 : 128)) return null
  return [ipaddr.parse(address), Number(bits)]
}

function isIn(networks: readonly [Address, number][], address: Address): boolean {
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  )
}
