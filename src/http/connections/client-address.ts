// The address of a client: that of its connection, or the one that trusted proxies report (LONGCODE_TRUST_PROXY). The
// framework uses the same package, so requests that skip it are limited by the same address.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'

export type AddressOf = (socket: Socket, headers: IncomingHttpHeaders) => string

export function createAddressOf(trusted: readonly string[]): AddressOf {
  if (trusted.length === 0) return ({ remoteAddress }) => remoteAddress ?? ''
  const isTrusted = proxyAddress.compile([...trusted])
  return (socket, headers) =>
    headers['x-forwarded-for'] === undefined
      ? (socket.remoteAddress ?? '')
      : // It reads only these two.
        proxyAddress({ socket, headers } as IncomingMessage, isTrusted)
}
