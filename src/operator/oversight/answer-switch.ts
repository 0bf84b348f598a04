// What a switch that asks where a call goes is answered, in the form that it takes.

import { fieldRefusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { readForwardingChain } from '../../numbers/forwarding/check-forwarding.js'
import type { TrunkSettings } from '../../sip/answer/trunk.js'
import {
  type AskedCall,
  type CallRoute,
  type KnownForwardings,
  readCalled,
  routeCall,
} from '../../voice/route-call.js'
import { NOT_FOUND, type Rtjson, writeDialplan, writeRtjson } from '../../voice/route-forms.js'
import type { TrunkBook } from '../../voice/trunk-book.js'

export interface CallDeps extends Pick<World, 'db' | 'config'> {
  trunkBook: TrunkBook
  /** By the numbers in memory; null in a process without them, which asks the database. */
  forwardings: KnownForwardings | null
}

export interface Question extends Partial<AskedCall> {
  format?: 'json' | 'kamailio' | 'freeswitch'
  trunk?: string
  gateway?: string
}

/** What mod_xml_curl says of its own accord, among hundreds of other names. */
export type SwitchFields = Readonly<Record<string, unknown>>

const CONTEXT_LENGTH_MAX = 200

/** A text is XML. */
export async function answerSwitch(
  asked: Question,
  words: SwitchFields,
  deps: CallDeps,
): Promise<CallRoute | Rtjson | string> {
  const { format = 'json', gateway = null } = asked
  // It may be set up to fetch everything from here: users and settings, too.
  const isOfCalls = ['dialplan', undefined].includes(textOf(words.section))
  if (format === 'freeswitch' && !isOfCalls) return NOT_FOUND
  const trunk = deps.trunkBook.get(asked.trunk)
  const call = { ...asked, called: asked.called ?? calledOf(words) }
  const route = await findRoute(call, trunk, deps)
  if (format === 'json') return route
  if (trunk === null) {
    throw fieldRefusal(
      'format',
      'needs a trunk, and none is set up: LONGCODE_TRUNKS names the file of trunks',
    )
  }
  if (format === 'kamailio') return writeRtjson(route, trunk)
  return writeDialplan(route, trunk, { gateway, context: contextOf(words) })
}

/** Refuses what is no question. */
export async function findRoute(
  { called, diversion }: { called: string | undefined; diversion?: AskedCall['diversion'] },
  trunk: TrunkSettings | null,
  { db, config, forwardings }: Omit<CallDeps, 'trunkBook'>,
): Promise<CallRoute> {
  if (!called) {
    throw fieldRefusal('called', 'is required: the number that was called, such as 4155550123')
  }
  const asked = { called: withPlus(called), diversion: diversion && withPlus(diversion) }
  const read = readCalled(asked.called, trunk)
  const number = read.kind === 'number' ? read.number : ''
  const known = forwardings ?? (await readForwardingChain(db, number))
  const route = routeCall(asked, trunk, known, config.forwarding)
  if (route !== null) return route
  throw fieldRefusal('diversion', 'must be the value of a Diversion header, such as <sip:…>')
}

/** Where nobody escaped it, the plus of a number arrives as a space: Kamailio's s.escape.param leaves it as it is. */
function withPlus(text: string): string {
  return text.replaceAll(/(^|\bsips?:|\btel:) (?=\d)/gi, '$1+')
}

function calledOf(words: SwitchFields): string | undefined {
  return textOf(words['Hunt-Destination-Number']) ?? textOf(words['Caller-Destination-Number'])
}

/** The part of its dialplan that the switch looks at, and wants to find in the answer. */
function contextOf(words: SwitchFields): string {
  const context = textOf(words['Hunt-Context']) ?? textOf(words['Caller-Context']) ?? 'public'
  return context.slice(0, CONTEXT_LENGTH_MAX)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
