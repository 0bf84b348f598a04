// Tells clients apart by network address, wherever they are counted.

import ipaddr from 'ipaddr.js'

/**
 * An IPv4 address, or the /64 network of an IPv6 address. A household or server gets a whole /64. Counting smaller networks
 * would let it appear as many clients.
 */
export function clientNetwork(text: string): string {
  if (!text.includes(':') || !ipaddr.isValid(text)) return text
  const address = ipaddr.process(text)
  if (address.kind() === 'ipv4') return address.toString()
  return (address as ipaddr.IPv6).parts.slice(0, 4).join(':')
}
