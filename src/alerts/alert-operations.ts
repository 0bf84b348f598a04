// The alert endpoints, as declared to the HTTP layer and openapi.json.

import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { HasMore, Noun, pageQueryWith } from '../kit/contract/schema.js'
import {
  ALERT_KINDS,
  type AlertKind,
  BALANCE_DAYS_DEFAULT,
  BALANCE_DAYS_MAX,
  INSTALLATION_ALERT_KINDS,
} from './alert.js'
import { ALERT_EXAMPLE, AlertShape } from './alert-wire.js'

const COMMON = { tag: 'Alerts', isExtension: true } as const

function KindOf<Kind extends AlertKind>(kinds: readonly Kind[], options: object = {}) {
  return Type.Unsafe<Kind>({ type: 'string', enum: [...kinds], ...options })
}

/** Fields for a list of alerts of the given kinds. */
export function alertQuery<Kind extends AlertKind>(kinds: readonly Kind[]) {
  return pageQueryWith({
    state: Type.Optional(
      Type.Enum(['open', 'cleared'], { description: 'Only open alerts, or only past ones' }),
    ),
    kind: Type.Optional(KindOf(kinds, { description: 'Only alerts of this kind' })),
  })
}

export const AlertReply = Type.Object({
  alerts: Type.Array(
    Noun('ListedAlert', {
      ...AlertShape.properties,
      muted: Type.Boolean({ description: 'Whether this kind is muted now' }),
    }),
  ),
  hasMore: HasMore,
})

export const ALERT_REPLY_EXAMPLE = {
  alerts: [{ ...ALERT_EXAMPLE, muted: false }],
  hasMore: false,
}

export const LIST_ALERTS = operation({
  ...COMMON,
  id: 'listAlerts',
  summary: 'List alerts, newest first',
  description:
    'Open alerts have `clearedAt` null. Past alerts are kept for 90 days. A muted kind is still listed, but it sends no emails and no events.',
  scope: 'read',
  query: alertQuery(ALERT_KINDS),
  reply: AlertReply,
  example: ALERT_REPLY_EXAMPLE,
  failure: { alerts: [] },
})

function mutedKinds<Kind extends AlertKind>(kinds: readonly Kind[]) {
  return Type.Array(KindOf(kinds), {
    maxItems: kinds.length,
    uniqueItems: true,
    description: 'Kinds without emails, events, and notices on the overview',
  })
}

const SettingsShape = Noun('AlertSettings', {
  mutedKinds: Type.Array(Type.Enum([...ALERT_KINDS])),
  balanceDays: Type.Integer({
    description: 'An alert is raised if the balance lasts fewer days at the current pace',
  }),
})
const SETTINGS_EXAMPLE = { mutedKinds: ['error_spike'], balanceDays: BALANCE_DAYS_DEFAULT }

export const GET_SETTINGS = operation({
  ...COMMON,
  id: 'getAlertSettings',
  summary: 'Get the alert settings of the account',
  scope: 'read',
  reply: Type.Object({ settings: SettingsShape }),
  example: { settings: SETTINGS_EXAMPLE },
  failure: { settings: null },
})

export const PUT_SETTINGS = operation({
  ...COMMON,
  id: 'changeAlertSettings',
  summary: 'Mute kinds of alerts, and set the days that the balance should last',
  description:
    'Omitted fields stay unchanged. People need the role owner or admin, and tokens the `manage` scope.',
  scope: 'manage',
  body: Type.Object({
    mutedKinds: Type.Optional(mutedKinds(ALERT_KINDS)),
    balanceDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: BALANCE_DAYS_MAX,
        'x-expects': `must be a whole number from 1 to ${BALANCE_DAYS_MAX}`,
      }),
    ),
  }),
  bodyExample: SETTINGS_EXAMPLE,
  reply: Type.Object({ success: Type.Literal(true), settings: SettingsShape }),
  example: { success: true, settings: SETTINGS_EXAMPLE },
  failure: { success: false },
  refuses: ['role_absent'],
})

export const MUTED_INSTALLATION_KINDS = mutedKinds(INSTALLATION_ALERT_KINDS)
