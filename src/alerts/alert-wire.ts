// An alert as clients and webhooks get it.

import { type Static, Type } from 'typebox'
import {
  Noun,
  NullableNumber,
  NullableString,
  NullableTimestamp,
  Timestamp,
} from '../kit/contract/schema.js'
import { ALL_ALERT_KINDS, type Alert } from './alert.js'

export const AlertShape = Noun('Alert', {
  id: Type.String(),
  kind: Type.Enum([...ALL_ALERT_KINDS]),
  subject: Type.String({
    description:
      'What it is about: a carrier (`att`, `tmo`, `other`, or `all`), a campaign, an error code, the origin of a webhook, a number, or a link',
  }),
  campaignId: { ...NullableString, description: 'null if it concerns more than one campaign' },
  since: { ...Timestamp, description: 'When the problem started, as far as known' },
  raisedAt: Timestamp,
  updatedAt: Timestamp,
  clearedAt: { ...NullableTimestamp, description: 'null while the problem lasts' },
  whatHappened: Type.String(),
  whatToDo: Type.String(),
  figures: Noun('AlertFigures', {
    rate: { ...NullableNumber, description: 'Delivered share of finished messages, from 0 to 1' },
    normalRate: { ...NullableNumber, description: 'The usual share when the alert was raised' },
    messages: { ...NullableNumber, description: 'Finished messages that were counted' },
    failed: NullableNumber,
    days: { ...NullableNumber, description: 'How many days the balance lasts' },
  }),
})

export function wireAlert(alert: Alert): Static<typeof AlertShape> {
  const {
    rate = null,
    normalRate = null,
    messages = null,
    failed = null,
    days = null,
  } = alert.figures
  return {
    id: alert.id,
    kind: alert.kind,
    subject: alert.subject,
    campaignId: alert.campaignId,
    since: alert.since.toISOString(),
    raisedAt: alert.raisedAt.toISOString(),
    updatedAt: alert.updatedAt.toISOString(),
    clearedAt: alert.clearedAt?.toISOString() ?? null,
    whatHappened: alert.whatHappened,
    whatToDo: alert.whatToDo,
    figures: { rate, normalRate, messages, failed, days },
  }
}

export const ALERT_EXAMPLE: Static<typeof AlertShape> = {
  id: 'alr_01km3v9w8m0000pqv3t5x7z9bd',
  kind: 'network_delivery',
  subject: 'att',
  campaignId: null,
  since: '2026-11-15T11:00:00.000Z',
  raisedAt: '2026-11-15T12:00:00.000Z',
  updatedAt: '2026-11-15T12:00:00.000Z',
  clearedAt: null,
  whatHappened:
    'AT&T: 25.0% of 1,255 finished messages were delivered. Normal is 97.4%. Most frequent error: 1370 (the carrier filtered the message as spam), 941 messages.',
  whatToDo:
    'Send only what the campaign is registered for. Avoid public link shorteners. Pause large sends until the rate is back to normal.',
  figures: { rate: 0.25, normalRate: 0.974, messages: 1255, failed: 941, days: null },
}
