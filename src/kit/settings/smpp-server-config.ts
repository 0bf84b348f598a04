// The settings of the SMPP server for customers, from the environment that config.ts reads. It carries
// passwords and message texts, so without TLS it listens only on this machine, unless a setting allows more.

import { readPort, readTlsFiles, type SettingReader, type TlsFiles } from './setting-reader.js'

export interface SmppServerConfig {
  host: string
  /** 0: a free port. */
  port: number
  /** Null: no TLS. */
  tls: TlsFiles | null
  bindsPerAccount: number
  /** Submits of an account; 0: no limit. */
  submitsPerSecond: number
  /** Submits of one bind that may await their response. */
  window: number
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/
const SUBMITS_PER_SECOND = 100

/** Null if no port is set, or `off`: then there is no such server. */
export function readSmppServer(
  read: SettingReader,
  { isSandbox, host: httpHost }: { isSandbox: boolean; host: string },
): SmppServerConfig | null {
  const port = readPort(read, 'LONGCODE_SMPP_PORT')
  if (port === null || port === 'off') return null
  const host = read.text('LONGCODE_SMPP_HOST') ?? httpHost
  const tls = readTlsFiles(read, 'LONGCODE_SMPP')
  if (!tls && !LOOPBACK.test(host) && !read.flag('LONGCODE_SMPP_PLAINTEXT')) {
    read.refuse(
      `LONGCODE_SMPP_HOST=${host} is open to others, and without TLS anybody on the way reads passwords and messages: set LONGCODE_SMPP_TLS_CERT and LONGCODE_SMPP_TLS_KEY, or LONGCODE_SMPP_PLAINTEXT=true.`,
    )
  }
  const rate = isSandbox ? 0 : SUBMITS_PER_SECOND
  return {
    host,
    port,
    tls,
    bindsPerAccount: read.whole('LONGCODE_SMPP_BINDS', 5, 1, 1_000),
    submitsPerSecond: read.whole('LONGCODE_SMPP_RATE', rate, 0, 1_000_000),
    window: read.whole('LONGCODE_SMPP_WINDOW', 100, 1, 10_000),
  }
}
