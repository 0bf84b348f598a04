// The lines for a carriers file that connect Longcode to our SMSC, and how a message is shown on the screen.

import type { MESSAGE_ERRORS } from '../messages/message-errors.js'
import type { AcceptedMessage } from './accepted-messages.js'
import type { SmscSettings } from './smsc-options.js'
import { statusOfError } from './validate-submit.js'

/** Statuses of magic recipients that the specification does not define. */
const OWN_CODES: readonly (keyof typeof MESSAGE_ERRORS)[] = [1320, 1360, 1370]

/** Addresses to listen on, not to connect to. */
const EVERYWHERE = ['0.0.0.0', '::']

/** As YAML, with sample credentials if the SMSC accepts any. */
export function carriersLines(
  settings: Pick<SmscSettings, 'systemId' | 'password' | 'tls'>,
  { host, port, caFile }: { host: string; port: number; caFile: string | null },
): string[] {
  const { systemId, password, tls } = settings
  const codes = OWN_CODES.map((code) => `0x${statusOfError(code).toString(16)}: ${code}`)
  return [
    'links:',
    '  - name: smsc',
    '    kind: smpp',
    `    host: ${JSON.stringify(EVERYWHERE.includes(host) ? '127.0.0.1' : host)}`,
    `    port: ${port}`,
    `    systemId: ${JSON.stringify(systemId ?? 'longcode')}`,
    `    password: ${JSON.stringify(password ?? 'secret')}`,
    ...(tls ? [`    tls: { caFile: ${JSON.stringify(caFile)} }`] : []),
    '    carrierCodes:',
    `      statuses: { ${codes.join(', ')} }`,
  ]
}

/** One line, whatever the text contains. */
export function messageLine({ systemId, from, to, text, ids, parts }: AcceptedMessage): string {
  const time = parts.at(-1)!.acceptedAt.toISOString().slice(11, 19)
  const count = parts.length === 1 ? '' : ` (${parts.length} parts)`
  const shown = text === null ? 'bytes that are not text' : JSON.stringify(text)
  return `${time}  ${systemId}  ${from} → ${to}  ${ids.join(' ')}${count}  ${shown}`
}

export function messageFacts({ systemId, from, to, text, ids, parts }: AcceptedMessage) {
  const takenAt = parts.at(-1)!.acceptedAt.toISOString()
  return { takenAt, systemId, from, to, text, parts: parts.length, ids }
}
