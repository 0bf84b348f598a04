// Decides where one call goes, for switches and people that ask: the same decision as over SIP, with a reason if the call
// is not forwarded.

import { readPastForwardings, writeDiversion } from '../sip/answer/past-forwardings.js'
import { writeContact } from '../sip/answer/target-uri.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { type CallDecision, decideCall, NEVER_FORWARDED } from '../sip/forwarding/decide-call.js'
import {
  FAULT_TEXTS,
  type FindTarget,
  type ForwardingPolicy,
} from '../sip/forwarding/forwarding-policy.js'
import {
  ANY_FORM,
  type NumberForms,
  type ReadNumber,
  readNumber,
  readUriNumber,
} from '../sip/forwarding/number-forms.js'
import { readUri } from '../sip/message/uri.js'

export interface CallQuery {
  /** A number in the trunk's format, or a `sip:`, `sips:`, or `tel:` address with one. */
  called: string
  /** The value of the call's Diversion header: who forwarded it before. */
  diversion?: string | undefined
}

export interface CallRoute {
  called: string
  /** E.164, if it is one of our numbers. */
  number: string | null
  /** The SIP status. */
  status: 302 | 404 | 480 | 482 | 484
  /** E.164. */
  target: string | null
  /** Also null if no trunk is set up. */
  contact: string | null
  diversion: string | null
  /** Why there is no target: one sentence. */
  why: string | null
}

/** Reads the called number in the trunk's formats. */
export function readCalled(called: string, trunk: TrunkSettings | null): ReadNumber {
  const forms = trunk?.numberForms ?? ANY_FORM
  const uri = /^(?:sips?|tel):/i.test(called) ? readUri(called) : null
  return uri === null ? readNumber(called, forms) : readUriNumber(uri, forms)
}

/** The numbers: in memory, or read from the database for one call. */
export interface KnownForwardings {
  find: FindTarget
  /** Whether the number is not forwarded because its account is suspended. */
  isStopped: (number: string) => boolean
}

/** Null if the Diversion header cannot be parsed. */
export function routeCall(
  { called, diversion }: CallQuery,
  trunk: TrunkSettings | null,
  { find, isStopped }: KnownForwardings,
  policy: ForwardingPolicy,
): CallRoute | null {
  const past = diversion ? readPast(diversion) : NEVER_FORWARDED
  if (past === null) return null
  const decision = decideCall(readCalled(called, trunk), past, find, policy)
  const { number } = decision
  if (decision.kind === 'refuse') {
    const why =
      number !== null && isStopped(number)
        ? 'The account that holds the number is suspended.'
        : whyNot(decision, trunk?.numberForms ?? ANY_FORM)
    const { status } = decision
    return { called, number, status, target: null, contact: null, diversion: null, why }
  }
  const { target } = decision
  return {
    called,
    number,
    status: 302,
    target,
    contact: trunk && writeContact(decision.number, target, trunk),
    diversion: trunk && writeDiversion(decision.number, trunk),
    why: null,
  }
}

function readPast(diversion: string) {
  return readPastForwardings(new Map([['diversion', [diversion]]]))
}

function whyNot(
  { status, why }: Extract<CallDecision, { kind: 'refuse' }>,
  { called, prefix }: NumberForms,
): string {
  if (Object.hasOwn(FAULT_TEXTS, why)) {
    return `The target ${FAULT_TEXTS[why as keyof typeof FAULT_TEXTS]}.`
  }
  if (status === 484) {
    const forms = called.map((form) => FORM_EXAMPLES[form]).join(', ')
    const behind = prefix === '' ? '' : `, after the prefix ${prefix}`
    return `The called number must be in the trunk’s format, such as ${forms}${behind}.`
  }
  if (status === 480) return 'The number is not forwarded.'
  return 'No account holds this number.'
}

const FORM_EXAMPLES: Record<NumberForms['called'][number], string> = {
  e164: '+14155550123',
  country: '14155550123',
  national: '4155550123',
}
