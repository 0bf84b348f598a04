// What the tests of every provider's setup have in common: the operations that each must have cases for, and what they
// are about.

import type { ProvisioningClient } from '../../../src/carriers/providers/provisioning.js'
import type { Case } from './exchange.js'

type Optional = 'publicKey' | 'putNumber' | 'isTied' | 'tie'

export type SetupCase = Case<ProvisioningClient>
export type SetupCases = Record<Exclude<keyof ProvisioningClient, Optional>, readonly SetupCase[]> &
  Partial<Record<Optional, readonly SetupCase[]>>

export const NAME = 'longcode acme'
export const WEBHOOK = 'https://ours.test/carrier/acme'
export const OLD_WEBHOOK = 'https://old.test'
export const NUMBER = '+14152000001'
export const OTHER = '+14152000002'
export const PHONE = '+14155550107'

/** A number of the account. */
export const OWNED = { id: 'n/1', phoneNumber: NUMBER, containerId: null }
export const TEST = { from: NUMBER, to: PHONE, text: 'Test', containerId: 'c-1' }

/** The sentence about a response that is not what the provider documents. The peer's address is `PEER`. */
export const unexpected = (what: string, title: string) =>
  `PEER returned an unexpected response for ${what}. Check that it is the URL of ${title}.`
