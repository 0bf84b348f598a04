// What Bandwidth's codes mean for a message, and how Bandwidth writes an error: its dashboard in XML, its messages in
// JSON.

import type { ProviderAnswer } from '../provider.js'
import type { ProviderError } from '../provider-client.js'
import { defineCodes } from '../provider-codes.js'
import { objectAt, parseJson, textAt } from '../read-answer.js'
import { textOf } from './xml.js'

export const BANDWIDTH_CODES = defineCodes(
  {
    1320: ['4780'],
    1330: ['4482', '4775'],
    1340: ['4773', '4774'],
    1350: ['4303', '4350', '4404', '4406', '4720', '4721'],
    1370: ['4470', '4481', '4770', '4771', '4772'],
    1375: ['4700', '4730', '4750', '4751', '4752', '4753'],
    1380: ['4701', '4702'],
    1390: ['4410'],
    1391: ['4411', '4711'],
    1392: ['4412', '4712'],
    1400: ['4360', '5106', '5201'],
    1499: ['9999'],
    throttled: ['4781', '4785'],
    sender: ['4302', '4403', '4405', '4407', '4433', '4452', '4740', '4795'],
    fault: ['4451', '4493'],
  },
  { isRefusedNeverSent: true },
)

export function parseDashboardError({ body }: ProviderAnswer): ProviderError {
  const xml = body.toString('utf8')
  const code = textOf(xml, 'Code') ?? textOf(xml, 'ErrorCode')
  return { code, text: textOf(xml, 'Description') ?? textOf(xml, 'Message') }
}

export function parseBandwidthError(answer: ProviderAnswer): ProviderError {
  const parsed = objectAt(parseJson(answer.body))
  const text = textAt(parsed, 'description')
  if (text === null) return parseDashboardError(answer)
  return { code: textAt(parsed, 'code') ?? textAt(parsed, 'type'), text }
}
