// Delivery rates below normal, and spikes of an error code. Pure. One cause raises one alert: a carrier explains the
// campaigns that fail only there, a campaign explains the carrier that only it fails on, several carriers are one
// problem, and an error code is an alert only if neither explains it.

import type { CarrierName } from '../messages/lane.js'
import type { OutcomeCount } from '../messages/usage/outcome-queries.js'
import {
  type Alert,
  type AlertFinding,
  type AlertKind,
  type FoundAlerts,
  keyOf,
  type OpenAlerts,
} from './alert.js'
import { describeDelivery, describeSpike } from './describe-delivery.js'
import {
  FAILED_MIN,
  failingSince,
  groupBy,
  type Measure,
  measure,
  sum,
  topErrors,
  windowOf,
} from './measure.js'

/** The subject of an alert about several carriers, or about many campaigns. */
const ALL = 'all'
/** More campaigns with low rates are one problem. */
const CAMPAIGNS_MAX = 3
const SPIKES_MAX = 3
/**
 * How far above its normal share. A delivery alert clears with fewer failures than a spike needs, so the end of one
 * problem does not raise a second alert.
 */
const SPIKE = { raise: 0.12, clear: 0.06, timesNormal: 3 }

export interface DeliveryInput {
  rows: readonly OutcomeCount[]
  open: OpenAlerts
  /** Names of campaigns for texts. */
  nameOf: (campaignId: string) => string
  now: Date
}

export function findDeliveryTrouble(input: DeliveryInput): FoundAlerts {
  const { rows } = input
  const openAt = (kind: AlertKind, subject: string) => input.open.get(keyOf({ kind, subject }))
  const openAll = openAt('network_delivery', ALL)
  const isLow = (part: readonly OutcomeCount[], open: Alert | undefined) =>
    measure(part, open)?.isLow ?? false

  const campaigns = new Set<string>()
  const networks = new Set<CarrierName>()
  for (const [carrier, part] of groupBy(rows, (row) => row.carrier)) {
    if (!isLow(part, openAt('network_delivery', carrier) ?? openAll)) continue
    const culprit = findCulprit(rows, part, carrier)
    if (culprit === null) networks.add(carrier)
    else campaigns.add(culprit)
  }
  const others = rows.filter(({ carrier }) => !networks.has(carrier))
  for (const [campaignId, part] of groupBy(others, (row) => row.campaignId)) {
    if (isLow(part, openAt('campaign_delivery', campaignId))) campaigns.add(campaignId)
  }

  const findings: AlertFinding[] = []
  const add = (kind: AlertKind, subject: string, part: readonly OutcomeCount[]) => {
    const open = openAt(kind, subject)
    const measured = measure(part, open)
    if (measured) findings.push(deliveryFinding(input, { kind, subject, part, measured, open }))
  }
  if (networks.size > 1 || campaigns.size > CAMPAIGNS_MAX) {
    add('network_delivery', ALL, rows)
    return { findings, kept: [] }
  }
  for (const carrier of networks) {
    const part = rows.filter((row) => row.carrier === carrier)
    add('network_delivery', carrier, part)
  }
  for (const campaignId of campaigns) {
    const part = others.filter((row) => row.campaignId === campaignId)
    add('campaign_delivery', campaignId, part)
  }
  const unexplained = others.filter(({ campaignId }) => !campaigns.has(campaignId))
  findings.push(...findSpikes(input, unexplained))
  return { findings, kept: keptWithoutData(input) }
}

/** The campaign that explains the low rate of a carrier. Null: the carrier does. */
function findCulprit(
  rows: readonly OutcomeCount[],
  part: readonly OutcomeCount[],
  carrier: CarrierName,
): string | null {
  const byCampaign = [...groupBy(part, (row) => row.campaignId)]
  const failedIn = (group: readonly OutcomeCount[]) =>
    sum(
      group.filter((row) => row.errorCode !== 0),
      'day',
    )
  const [worst] = byCampaign.sort(([, a], [, b]) => failedIn(b) - failedIn(a))
  if (!worst) return null
  const [campaignId] = worst
  const rest = measure(
    part.filter((row) => row.campaignId !== campaignId),
    undefined,
  )
  if (rest) return rest.isLow ? null : campaignId
  // Nobody else sends to this carrier: does the campaign fail elsewhere, too?
  const elsewhere = rows.filter((row) => row.campaignId === campaignId && row.carrier !== carrier)
  return measure(elsewhere, undefined)?.isLow ? campaignId : null
}

interface DeliveryPart {
  kind: AlertKind
  subject: string
  part: readonly OutcomeCount[]
  measured: Measure
  open: Alert | undefined
}

function deliveryFinding(
  { nameOf, now }: DeliveryInput,
  { kind, subject, part, measured, open }: DeliveryPart,
): AlertFinding {
  const { window, finished, failed, rate, normalRate } = measured
  const campaignId = kind === 'campaign_delivery' ? subject : null
  const since = open?.since ?? failingSince(part, window, now)
  const text = describeDelivery(
    { subject, name: campaignId && nameOf(campaignId) },
    measured,
    topErrors(part, window),
  )
  const figures = { rate, normalRate, messages: finished, failed }
  return { kind, subject, campaignId, since, ...text, figures }
}

function findSpikes({ open, now }: DeliveryInput, rows: readonly OutcomeCount[]): AlertFinding[] {
  const window = windowOf(rows)
  if (window === null) return []
  const finished = sum(rows, window)
  const before = sum(rows, 'before')
  return topErrors(rows, window)
    .flatMap(({ code, count }) => {
      const alert = open.get(keyOf({ kind: 'error_spike', subject: String(code) }))
      const same = rows.filter(({ errorCode }) => errorCode === code)
      const share = count / finished
      const normalShare = before === 0 ? 0 : sum(same, 'before') / before
      const isSpike = alert
        ? share >= normalShare + SPIKE.clear
        : count >= FAILED_MIN &&
          share >= Math.max(normalShare + SPIKE.raise, normalShare * SPIKE.timesNormal)
      if (!isSpike) return []
      const finding: AlertFinding = {
        kind: 'error_spike',
        subject: String(code),
        campaignId: null,
        since: alert?.since ?? failingSince(same, window, now),
        ...describeSpike(code, count, finished),
        figures: { messages: finished, failed: count },
      }
      return [finding]
    })
    .slice(0, SPIKES_MAX)
}

/** Open alerts about messages of which too few finished lately, but some did in the last day. */
function keptWithoutData({ rows, open }: DeliveryInput): string[] {
  return [...open.values()].flatMap((alert) => {
    const part = partOf(rows, alert)
    if (part === null || measure(part, alert) !== null) return []
    return sum(part, 'day') > 0 ? [keyOf(alert)] : []
  })
}

/** The messages that an alert is about. Null if it is about something else. */
function partOf(rows: readonly OutcomeCount[], { kind, subject }: Alert) {
  if (kind === 'network_delivery') {
    return rows.filter(({ carrier }) => subject === ALL || carrier === subject)
  }
  if (kind === 'campaign_delivery') return rows.filter((row) => row.campaignId === subject)
  return kind === 'error_spike' ? rows : null
}
