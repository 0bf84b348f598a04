// What the operator's endpoints for alerts accept, return, and refuse.

import { Type } from 'typebox'
import { ALL_ALERT_KINDS, INSTALLATION_ALERT_KINDS } from '../../alerts/alert.js'
import {
  ALERT_REPLY_EXAMPLE,
  AlertReply,
  alertQuery,
  MUTED_INSTALLATION_KINDS,
} from '../../alerts/alert-operations.js'
import { operation } from '../../kit/contract/operation.js'
import { IdText, Noun } from '../../kit/contract/schema.js'

const COMMON = { tag: 'Operator', isExtension: true, scope: 'operator' } as const

export const LIST_ALERTS = operation({
  ...COMMON,
  id: 'operatorListAlerts',
  summary: 'List alerts about the installation or about an account, newest first',
  query: Type.Object({
    ...alertQuery(ALL_ALERT_KINDS).properties,
    account: Type.Optional(
      IdText({ description: 'The ID of an account. Default: the installation, such as its links' }),
    ),
  }),
  reply: AlertReply,
  example: ALERT_REPLY_EXAMPLE,
  failure: { alerts: [] },
  refuses: ['account_missing'],
})

const SettingsShape = Noun('InstallationAlertSettings', {
  mutedKinds: Type.Array(Type.Enum([...INSTALLATION_ALERT_KINDS])),
})
const EXAMPLE = { mutedKinds: ['link_delivery'] }

export const GET_SETTINGS = operation({
  ...COMMON,
  id: 'operatorGetAlertSettings',
  summary: 'Get the alert settings of the installation',
  reply: Type.Object({ settings: SettingsShape }),
  example: { settings: EXAMPLE },
  failure: { settings: null },
})

export const PUT_SETTINGS = operation({
  ...COMMON,
  id: 'operatorChangeAlertSettings',
  summary: 'Mute kinds of alerts about the installation',
  body: Type.Object({ mutedKinds: MUTED_INSTALLATION_KINDS }),
  bodyExample: EXAMPLE,
  reply: Type.Object({ success: Type.Literal(true), settings: SettingsShape }),
  example: { success: true, settings: EXAMPLE },
  failure: { success: false },
})
