// What Telnyx's codes mean for a message, and how Telnyx writes an error.

import type { ProviderAnswer } from '../provider.js'
import type { ProviderError } from '../provider-client.js'
import { defineCodes } from '../provider-codes.js'
import { objectAt, parseJson, textAt } from '../read-answer.js'

export const TELNYX_CODES = defineCodes({
  1320: ['40016'],
  1330: ['40300'],
  1340: ['40010'],
  1350: ['10002', '40001', '40012', '40310'],
  1370: ['40002', '40003', '40015', '40017', '40322'],
  1375: ['40004', '40008', '40009', '40302', '40319'],
  1380: ['40006'],
  1391: ['40317'],
  1400: ['40005', '40014'],
  1499: ['10007'],
  throttled: ['10011', '40011', '40018', '40318'],
  sender: ['40013', '40305', '40308', '40312', '40313', '40314', '40315', '40321', '40329'],
  fault: ['10009', '10010', '10039', '20100'],
})

export function parseTelnyxError({ body }: ProviderAnswer): ProviderError {
  const error = objectAt(parseJson(body), 'errors', 0)
  return { code: textAt(error, 'code'), text: textAt(error, 'detail') ?? textAt(error, 'title') }
}
