// A kind of link in the carriers file: its fields, the settings they produce, and how to create the link. A new
// kind is one of these and a line in link-kinds.ts.

import { type Static, type TObject, Type } from 'typebox'
import type { Registrar } from '../../campaigns/registration/registrar.js'
import { MIXED, USECASES } from '../../campaigns/usecase.js'
import { choice, mapOf } from '../../kit/settings-file/field-schemas.js'
import type { SettingsProblem } from '../../kit/settings-file/settings-document.js'
import type { World } from '../../kit/world.js'
import type { Carrier, SilencePolicy } from '../../messages/carrier-port.js'
import type { NumberSource } from '../../numbers/number-source.js'

/** What links are created with. */
type LinkDeps = Pick<World, 'clock' | 'log' | 'metrics' | 'db'>

export interface ReadContext {
  /**
   * The text of a file that the settings name, or why it is not available. Relative to the settings' own folder.
   */
  readFile: (name: string) => { text: string } | { problem: string }
  allowsSimulator: boolean
  /** The public URL for callbacks. */
  publicUrl: string
}

/** A resource that a link opens at its provider besides messages, and how to close it. */
export interface OpenClient<T> {
  client: T
  close: () => Promise<void>
}

export interface ReadLink {
  /** Everything that defines the link. If two are equal, a reload leaves the link alone. */
  settings: object
  create: (deps: LinkDeps) => Carrier
  /** The provider account behind it. All links of the account can send from numbers bought there. */
  account?: string
  /** Where numbers are bought from its provider. */
  openNumbers?: () => OpenClient<NumberSource>
  /** Set if brands and campaigns are registered through its provider. */
  openRegistrar?: () => OpenClient<Registrar>
  /** Applies settings that may change on a running link and are not among those above. Never rejects. */
  tune?: (carrier: Carrier) => Promise<void>
}

export interface LinkKind<Fields extends TObject = TObject> {
  /** In addition to name, kind, and the common fields. */
  fields: Fields
  /** Fields that should come from the environment. */
  secrets: readonly string[]
  /** Whether it holds connections. If so, only processes that dispatch start it. */
  isConnected: boolean
  /** Problems that involve several fields. Paths begin at the link. */
  read: (name: string, own: Static<Fields>, context: ReadContext) => ReadLink | SettingsProblem[]
}

/** Keeps the fields' types inside. */
export function defineKind<Fields extends TObject>(kind: LinkKind<Fields>): LinkKind {
  return kind as unknown as LinkKind
}

const CHOICES = ['settle', 'resend'] as const
const NAMES = [...USECASES, MIXED]
const USECASE_KEY = new RegExp(`^(?:${NAMES.join('|')})$`)

/** What a link does with a message whose outcome stays unknown: the same fields for every kind of link. */
export const UnknownFields = {
  unknown: Type.Optional(choice(CHOICES)),
  /** By the campaign's use case. */
  unknownByUsecase: Type.Optional(
    mapOf(choice(CHOICES), USECASE_KEY, `must be a use case: ${NAMES.join(', ')}`),
  ),
  /** Deprecated: `unknown: resend`. */
  repeatUnknown: Type.Optional(Type.Boolean()),
}

export interface UnknownOwn {
  unknown?: (typeof CHOICES)[number] | undefined
  unknownByUsecase?: Readonly<Record<string, (typeof CHOICES)[number]>> | undefined
  repeatUnknown?: boolean | undefined
}

export function silencePolicy({
  unknown,
  unknownByUsecase,
  repeatUnknown = false,
}: UnknownOwn): SilencePolicy {
  const mayRepeat = unknown === undefined ? repeatUnknown : unknown === 'resend'
  if (unknownByUsecase === undefined) return { mayRepeat }
  const entries = Object.entries(unknownByUsecase)
  return {
    mayRepeat,
    mayRepeatByUsecase: Object.fromEntries(
      entries.map(([name, then]) => [name, then === 'resend']),
    ),
  }
}

/** For a link as written. */
export function deprecatedFields({
  repeatUnknown,
  unknown,
}: Record<string, unknown>): SettingsProblem[] {
  if (repeatUnknown === undefined) return []
  const instead = unknown ?? (repeatUnknown === true ? 'resend' : 'settle')
  const text = `is deprecated: remove it and write "unknown: ${instead}"`
  return [{ path: ['repeatUnknown'], text }]
}

/** A link's rate: the same fields for every kind of link. */
export const RateFields = {
  perSecond: Type.Optional(Type.Number({ minimum: 0.1, maximum: 100_000 })),
  shared: Type.Boolean({ default: false }),
}

export interface RateOwn {
  perSecond?: number
  shared: boolean
}

export function shareProblems({ shared, perSecond }: RateOwn): SettingsProblem[] {
  if (!shared || (perSecond !== undefined && perSecond >= 1)) return []
  return [{ path: ['shared'], text: 'needs perSecond, 1 or more: that is what processes share' }]
}
