// Schema parts for settings files.

import { type TSchema, Type } from 'typebox'

const NAME_PATTERN = '^[a-z0-9][a-z0-9_-]{0,39}$'

/** For things that the file names: the name appears in metrics, responses, and addresses. */
export const Name = Type.String({
  pattern: NAME_PATTERN,
  'x-expects': 'must be 1 to 40 lowercase letters, digits, - or _',
})

export function whole(minimum: number, maximum: number, usual?: number) {
  return Type.Integer({ minimum, maximum, ...(usual !== undefined && { default: usual }) })
}

/** Half seconds are allowed. */
export function seconds(minimum: number, maximum: number, usualMs: number) {
  return Type.Number({ minimum, maximum, default: usualMs / 1000 })
}

export function text(minLength: number, maxLength: number, options: Record<string, unknown> = {}) {
  return Type.String({ minLength, maxLength, ...options })
}

export function secret(minLength: number, maxLength: number) {
  return text(minLength, maxLength, { 'x-secret': true })
}

export function flag(usual: boolean) {
  return Type.Boolean({ default: usual })
}

export function choice<const T extends string>(values: readonly T[], usual?: T) {
  return Type.Unsafe<T>({ enum: values, ...(usual !== undefined && { default: usual }) })
}

/** A map with free names. */
export function mapOf<T extends TSchema>(inner: T, pattern: RegExp, expects: string) {
  return Type.Record(Type.String(), inner, { 'x-keys': { pattern, expects } })
}

export const toMs = (seconds: number): number => Math.round(seconds * 1000)
