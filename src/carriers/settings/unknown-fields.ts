// What a link does with a message whose outcome stays unknown, in the carriers' file: the same fields for every kind of
// link.

import { Type } from 'typebox'
import { MIXED, USECASES } from '../../campaigns/usecase.js'
import { choice, mapOf } from '../../kit/settings-file/field-schemas.js'
import type { Problem } from '../../kit/settings-file/settings-document.js'
import type { SilencePolicy } from '../../messages/carrier-port.js'

const CHOICES = ['settle', 'resend'] as const
const NAMES = [...USECASES, MIXED]
const USECASE_KEY = new RegExp(`^(?:${NAMES.join('|')})$`)

export const UnknownFields = {
  unknown: Type.Optional(choice(CHOICES)),
  /** By the use case of the campaign. */
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

/** Of a link as it is written. */
export function deprecatedFields({ repeatUnknown, unknown }: Record<string, unknown>): Problem[] {
  if (repeatUnknown === undefined) return []
  const instead = unknown ?? (repeatUnknown === true ? 'resend' : 'settle')
  const text = `is deprecated: remove it and write "unknown: ${instead}"`
  return [{ path: ['repeatUnknown'], text }]
}
