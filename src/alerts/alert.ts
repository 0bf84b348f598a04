// An alert: a problem that the service noticed, since when, and what to do about it.

import type { AccountId } from '../accounts/account.js'

/** For customers. */
export const ALERT_KINDS = [
  'network_delivery',
  'campaign_delivery',
  'error_spike',
  'webhook_failing',
  'balance_low',
  'campaign_trouble',
  'number_trouble',
] as const

/** For operators. */
export const INSTALLATION_ALERT_KINDS = ['link_down', 'link_delivery'] as const

export const ALL_ALERT_KINDS = [...ALERT_KINDS, ...INSTALLATION_ALERT_KINDS] as const
export type AlertKind = (typeof ALL_ALERT_KINDS)[number]

/** The last values. Those that a kind does not have are absent. */
export interface AlertFigures {
  /** Delivered share of finished messages, 0 to 1. */
  rate?: number
  /** The usual rate, as it was when the alert was raised. */
  normalRate?: number
  /** Finished messages that were counted. */
  messages?: number
  failed?: number
  /** How many days the balance lasts. */
  days?: number
}

/** What a rule found. */
export interface AlertFinding {
  kind: AlertKind
  /** A carrier, a campaign, an error code, the origin of a webhook, a number, or a link. */
  subject: string
  campaignId: string | null
  since: Date
  whatHappened: string
  whatToDo: string
  figures: AlertFigures
}

export interface Alert extends AlertFinding {
  accountId: AccountId
  id: string
  raisedAt: Date
  updatedAt: Date
  clearedAt: Date | null
}

export interface AlertSettings {
  mutedKinds: AlertKind[]
  /** An alert is raised if the balance lasts fewer days. */
  balanceDays: number
}

export const BALANCE_DAYS_DEFAULT = 3
export const BALANCE_DAYS_MAX = 90

export function keyOf({ kind, subject }: Pick<AlertFinding, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`
}

/** The open alerts of an account, by kind and subject. */
export type OpenAlerts = ReadonlyMap<string, Alert>

/** What the rules found, and open alerts that stay because too little is known now. */
export interface FoundAlerts {
  findings: AlertFinding[]
  kept: string[]
}
