// A request as it was sent, written for people and for a shell.

import type { SentRequest } from '../../generated/types.gen'
import { quoted } from './api-request'

export function headersText({ headers }: SentRequest): string {
  return headers.map(({ name, value }) => `${name}: ${value}`).join('\n')
}

/** curl adds these from the URL and the body. */
const OF_THE_CONNECTION = ['host', 'connection', 'accept-encoding', 'content-length']

/** Records store only the end of the signature. A reader with access gets all of it. */
export function curlOfDelivery(
  { url, headers }: SentRequest,
  body: string,
  signature: string,
): string {
  const sent = headers
    .filter(({ name }) => !OF_THE_CONNECTION.includes(name))
    .map(({ name, value }) => {
      const isCut = name === 'x-webhook-signature' && signature.endsWith(value.replace('…', ''))
      return `  -H ${quoted(`${name}: ${isCut ? signature : value}`)}`
    })
  return [`curl -X POST ${quoted(url)}`, ...sent, `  --data-raw ${quoted(body)}`].join(' \\\n')
}
