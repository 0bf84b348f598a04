// What the tests of every provider's numbers have in common: the operations that each must have cases for, and the
// number, campaign, and order that the cases are about.

import type { NumberSource } from '../../../src/numbers/number-source.js'
import type { Case } from './exchange.js'

type Operation =
  | 'search'
  | 'find'
  | 'order'
  | 'findOrder'
  | 'findProfile'
  | 'createProfile'
  | 'bind'
  | 'release'

/** Operations that not every provider has. */
type Optional = 'unbind' | 'forward'

export type NumberCase = Case<NumberSource>
export type NumberCases = Record<Operation, readonly NumberCase[]> &
  Partial<Record<Optional, readonly NumberCase[]>>

export const NUMBER = '+14152000001'
export const DIGITS = '4152000001'
export const OTHER = '+14152000002'
export const CAMPAIGN = `cmp_${'1'.repeat(26)}`
export const PROFILE_NAME = `longcode ${CAMPAIGN}`
export const CALLBACK_URL = 'https://ours.test/carrier/acme'
export const UNDELIVERED = { kind: 'failed', reason: 'The provider could not deliver it.' }

export const ORDER = { reference: 'ref-1', phoneNumber: NUMBER, profileId: 'p-1' }
