// Answers a switch that asks where a call goes, in the format that the switch expects.

import { fieldRefusal } from '../../kit/contract/refusal.js'
import type { World } from '../../kit/world.js'
import { readForwardingChain } from '../../numbers/forwarding/check-forwarding.js'
import type { TrunkSettings } from '../../sip/answer/trunk.js'
import {
  type CallQuery,
  type CallRoute,
  type KnownForwardings,
  readCalled,
  routeCall,
} from '../../voice/route-call.js'
import { NOT_FOUND, type Rtjson, writeDialplan, writeRtjson } from '../../voice/route-forms.js'
import type { TrunkBook } from '../../voice/trunk-book.js'

export interface CallDeps extends Pick<World, 'db' | 'config'> {
  trunkBook: TrunkBook
  /** The numbers in memory; null in a process without them, which queries the database. */
  forwardings: KnownForwardings | null
}

export interface SwitchQuery extends Partial<CallQuery> {
  format?: 'json' | 'kamailio' | 'freeswitch'
  trunk?: string
  gateway?: string
}

/** Sent by mod_xml_curl, among hundreds of other fields. */
export type SwitchFields = Readonly<Record<string, unknown>>

const CONTEXT_LENGTH_MAX = 200

/** A string is XML. */
export async function answerSwitch(
  query: SwitchQuery,
  fields: SwitchFields,
  deps: CallDeps,
): Promise<CallRoute | Rtjson | string> {
  const { format = 'json', gateway = null } = query
  // The switch may also request users and settings from here.
  const isDialplan = ['dialplan', undefined].includes(textOf(fields.section))
  if (format === 'freeswitch' && !isDialplan) return NOT_FOUND
  const trunk = deps.trunkBook.get(query.trunk)
  const call = { ...query, called: query.called ?? calledOf(fields) }
  const route = await findRoute(call, trunk, deps)
  if (format === 'json') return route
  if (trunk === null) {
    throw fieldRefusal(
      'format',
      'needs a trunk, but none is set up. Set LONGCODE_TRUNKS to your trunks file',
    )
  }
  if (format === 'kamailio') return writeRtjson(route, trunk)
  return writeDialplan(route, trunk, { gateway, context: contextOf(fields) })
}

/** Refuses an invalid request. */
export async function findRoute(
  { called, diversion }: { called: string | undefined; diversion?: CallQuery['diversion'] },
  trunk: TrunkSettings | null,
  { db, config, forwardings }: Omit<CallDeps, 'trunkBook'>,
): Promise<CallRoute> {
  if (!called) {
    throw fieldRefusal('called', 'is required: the called number, such as 4155550123')
  }
  const call = { called: withPlus(called), diversion: diversion && withPlus(diversion) }
  const read = readCalled(call.called, trunk)
  const number = read.kind === 'number' ? read.number : ''
  const chain = forwardings ?? (await readForwardingChain(db, number))
  const route = routeCall(call, trunk, chain, config.forwarding)
  if (route !== null) return route
  throw fieldRefusal('diversion', 'must be the value of a Diversion header, such as <sip:…>')
}

/** An unescaped plus arrives as a space. Kamailio's s.escape.param does not escape it. */
function withPlus(text: string): string {
  return text.replaceAll(/(^|\bsips?:|\btel:) (?=\d)/gi, '$1+')
}

function calledOf(fields: SwitchFields): string | undefined {
  return textOf(fields['Hunt-Destination-Number']) ?? textOf(fields['Caller-Destination-Number'])
}

/** The dialplan context that the switch requested and expects in the response. */
function contextOf(fields: SwitchFields): string {
  const context = textOf(fields['Hunt-Context']) ?? textOf(fields['Caller-Context']) ?? 'public'
  return context.slice(0, CONTEXT_LENGTH_MAX)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
