// The contents of a carriers file: links, routes, and network prefixes.

import { Type } from 'typebox'
import {
  choice,
  flag,
  mapOf,
  Name,
  seconds,
  text,
  whole,
} from '../../kit/settings-file/field-schemas.js'
import type { Network } from '../../messages/carrier-port.js'
import type { MessageType } from '../../messages/message.js'
import { CAMPAIGN_EXPECTS } from '../providers/provider-module.js'
import type { ReadLink } from './link-kind.js'

/** The networks that a carriers file may name. */
export const NETWORKS = ['att', 'tmo', 'vzw'] as const

export interface LinkSettings extends ReadLink {
  name: string
  kind: string
  isConnected: boolean
  /** Whether the carrier accepts the binds of a changed link alongside the previous ones. */
  mayOverlap: boolean
  /** How long a removed link is kept for late receipts after it has settled its messages. */
  drainMs: number
  /** How long a link must be up after an outage before it is used again, if another can take its messages. */
  failbackMs: number
  /** Whether it hosts your own stock whose import named no links. Null: the default of its kind. */
  hostsStock: boolean | null
}

export interface RouteSettings {
  name: string
  /** Null: any. `other`: another network, or unknown. */
  networks: readonly (Network | 'other')[] | null
  prefixes: readonly string[] | null
  campaigns: readonly string[] | null
  types: readonly MessageType[] | null
  /** They share the traffic. Each recipient stays with one. */
  links: readonly { link: string; share: number }[]
  /** In order, when none of the links is up. */
  failover: readonly string[]
  /** Whether a message that one link throttles is tried on the next. */
  onSlowDown: 'wait' | 'next'
}

export interface NetworkSettings {
  /** The fallback: the longest matching prefix. */
  prefixes: ReadonlyMap<string, Network>
  /** How long stored number lookups are valid. */
  learnedMs: number
}

export interface CarrierSettings {
  links: readonly LinkSettings[]
  routes: readonly RouteSettings[]
  networks: NetworkSettings
  /** Settings that work but should be changed, one sentence each. */
  warnings: readonly string[]
}

const LINKS_MAX = 100
const ROUTES_MAX = 500
const CONDITIONS_MAX = 1_000

const CAMPAIGN = '^cmp_[0-9a-z]{26}$'
const PREFIX = '^\\+[1-9]\\d{0,14}$'
const PREFIX_EXPECTS = 'must be the start of a number, such as "+1415", in quotes'
/** YAML reads an unquoted plus as the sign of a number. */
const PREFIX_KEY = /^\+?[1-9]\d{0,14}$/

/** Fields of every link, whatever its kind. */
export const LinkFields = Type.Object({
  /** It also scopes the carrier's message IDs. */
  name: Name,
  kind: text(1, 40),
  overlap: flag(false),
  drainSeconds: seconds(0, 3_600, 30_000),
  failbackSeconds: seconds(0, 3_600, 10_000),
  hostsStock: Type.Optional(Type.Boolean()),
})

const listOf = (inner: ReturnType<typeof text>) =>
  Type.Optional(Type.Array(inner, { minItems: 1, maxItems: CONDITIONS_MAX }))

const RouteFields = Type.Object({
  name: Type.Optional(Name),
  networks: Type.Optional(Type.Array(choice([...NETWORKS, 'other']), { minItems: 1, maxItems: 4 })),
  prefixes: listOf(Type.String({ pattern: PREFIX, 'x-expects': PREFIX_EXPECTS })),
  campaigns: listOf(Type.String({ pattern: CAMPAIGN, 'x-expects': CAMPAIGN_EXPECTS })),
  types: Type.Optional(Type.Array(choice(['SMS', 'MMS']), { minItems: 1, maxItems: 2 })),
  links: Type.Array(Name, { minItems: 1, maxItems: LINKS_MAX }),
  shares: Type.Optional(
    mapOf(whole(1, 1_000_000), /^[a-z0-9][a-z0-9_-]*$/, 'must be the name of a link'),
  ),
  failover: Type.Array(Name, { maxItems: LINKS_MAX, default: [] }),
  onSlowDown: choice(['wait', 'next'], 'wait'),
})

/** The whole file. Each link is checked by its kind. */
export const CarriersFile = Type.Object({
  links: Type.Array(Type.Unknown(), { minItems: 1, maxItems: LINKS_MAX }),
  routes: Type.Optional(Type.Array(RouteFields, { minItems: 1, maxItems: ROUTES_MAX })),
  networks: Type.Object(
    {
      prefixes: Type.Optional(mapOf(choice(NETWORKS), PREFIX_KEY, PREFIX_EXPECTS)),
      learnedDays: whole(1, 3_650, 30),
    },
    { default: { learnedDays: 30 } },
  ),
})
