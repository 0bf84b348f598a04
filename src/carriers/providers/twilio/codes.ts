// What Twilio's codes mean for a message, and how Twilio writes an error.

import type { ProviderAnswer } from '../provider.js'
import type { ProviderError } from '../provider-client.js'
import { defineCodes } from '../provider-codes.js'
import { parseJson, textAt } from '../read-answer.js'

export const TWILIO_CODES = defineCodes({
  1320: ['30023', '30027'],
  1330: ['21610'],
  1340: ['30033', '30034', '30035'],
  1350: ['21211', '21217', '21265', '30005'],
  1360: ['21614', '30006'],
  1370: ['30007'],
  1375: ['21617', '30004'],
  1380: ['30003'],
  1390: ['11200', '21620'],
  1391: ['30019'],
  1392: ['12300', '30011'],
  1400: ['30001', '30036'],
  1499: ['30008'],
  throttled: ['20429', '21611', '30022', '60728', '63017', '63038'],
  sender: ['21212', '21606', '21659', '21660', '21661', '21703', '30032'],
  fault: ['20003', '20005', '30002'],
})

/** The number is already in this service. */
export const BOUND_ALREADY = '21710'

export function parseTwilioError({ body }: ProviderAnswer): ProviderError {
  const parsed = parseJson(body)
  return { code: textAt(parsed, 'code'), text: textAt(parsed, 'message') }
}
