// The connection to the mail server. Every step has a time limit, and errors are reduced to a code: a server's own text may
// contain addresses.

import type { Transporter } from 'nodemailer'
import type { SmtpConfig } from '../kit/settings/smtp-config.js'
import type { RenderedEmail } from './email.js'

const CONNECT_MS = 10_000
const SOCKET_MS = 20_000

interface OutgoingEmail extends RenderedEmail {
  /** The same in every attempt, so mail programs show a repeated email once. */
  id: string
  recipient: string
}

type SmtpResult = { ok: true } | { ok: false; problem: string; isFinal: boolean }

export interface Mailer {
  send: (email: OutgoingEmail) => Promise<SmtpResult>
}

/** The library is loaded with the first email. */
export function createMailer({ url, from }: SmtpConfig): Mailer {
  let transport: Promise<Transporter> | null = null
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SOCKET_MS,
      // The content is plain text. It never names a file or an address to load.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  return {
    send: async ({ id, recipient, subject, text, html }) => {
      transport ??= open()
      try {
        const mailer = await transport
        const messageId = `<${id}@${domainOf(from)}>`
        // Automatic replies must not come back to the sender.
        const headers = { 'Auto-Submitted': 'auto-generated' }
        const to = { name: '', address: recipient }
        await mailer.sendMail({ from, to, subject, text, html, messageId, headers })
        return { ok: true }
      } catch (error) {
        return failureOf(error)
      }
    },
  }
}

function domainOf(from: string): string {
  const address = from.endsWith('>') ? from.slice(from.lastIndexOf('<') + 1, -1) : from
  return address.slice(address.lastIndexOf('@') + 1)
}

/** The server refuses this email for good: 5xx, except a refused sign-in, which someone can fix. */
function failureOf(error: unknown): SmtpResult {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  const isFinal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH'
  const name = typeof code === 'string' ? code : 'failed'
  const problem = responseCode === undefined ? name : `${name} ${responseCode}`
  return { ok: false, problem, isFinal }
}
