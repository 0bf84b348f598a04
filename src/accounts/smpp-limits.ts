// An operator's limits for one SMPP customer: its rate, binds, window, and the addresses that each system ID
// may bind from. Limits that are not set default to the server's.

import { BlockList, isIP } from 'node:net'
import type { AccountId } from './account.js'

export interface SmppLimits {
  /** Submits per second; 0: no limit. */
  submitsPerSecond: number | null
  /** Concurrent binds across all processes. */
  binds: number | null
  /** Submits of one bind that may await their response. */
  window: number | null
}

export const NO_LIMITS: SmppLimits = { submitsPerSecond: null, binds: null, window: null }

/** A system ID as operators see it. */
export interface OperatedSystem {
  systemId: string
  accountId: AccountId
  tokenId: string
  /** Null: it may bind from anywhere. */
  allowedAddresses: string[] | null
}

/** The entries as written; null if one is neither an address nor a network in CIDR notation. */
export function readNetwork(text: string): { address: string; bits: number } | null {
  const [address = '', prefix, ...more] = text.trim().split('/')
  const max = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  const bits = prefix === undefined ? max : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  return max === 0 || more.length > 0 || bits < 0 || bits > max ? null : { address, bits }
}

/** Whether a bind may come from this address. */
export function mayBindFrom(allowed: readonly string[] | null, address: string): boolean {
  if (allowed === null) return true
  const family = isIP(address)
  if (family === 0) return false
  const list = new BlockList()
  for (const text of allowed) {
    const network = readNetwork(text)
    if (network === null) continue
    list.addSubnet(network.address, network.bits, isIP(network.address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
