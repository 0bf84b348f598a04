// The route of a call in the formats of switches: Kamailio's rtjson, and a FreeSWITCH dialplan for mod_xml_curl.
// https://www.kamailio.org/docs/modules/stable/modules/rtjson.html
// https://developer.signalwire.com/freeswitch/FreeSWITCH-Explained/Modules/mod_xml_curl_1049001/

import { targetUri } from '../sip/answer/target-uri.js'
import type { TrunkSettings } from '../sip/answer/trunk.js'
import { plain } from '../sip/answer/write-answer.js'
import { writeNumber } from '../sip/forwarding/number-forms.js'
import type { CallRoute } from './route-call.js'

export interface Rtjson {
  version: string
  routing: 'serial'
  routes: { uri: string; headers: { extra: string } }[]
  status: number
  reason: string
  why: string | null
}

/** Without a route, the switch answers the caller with status and reason. rtjson ignores unknown names. */
export function writeRtjson(
  { target, diversion, status, why }: CallRoute,
  trunk: TrunkSettings,
): Rtjson {
  const extra = `Diversion: ${diversion}\r\n`
  const routes = target === null ? [] : [{ uri: targetUri(target, trunk), headers: { extra } }]
  return { version: '1.0', routing: 'serial', routes, ...plain(status), why }
}

export interface DialplanQuery {
  /** The name the switch uses: it looks for it in the response. */
  context: string
  /** A gateway of the switch, whose credentials it uses to dial; without one, it dials the trunk's host. */
  gateway: string | null
}

/** For other numbers the result is "not found", and the switch continues with its own dialplan. */
export function writeDialplan(
  route: CallRoute,
  trunk: TrunkSettings,
  { context, gateway }: DialplanQuery,
): string {
  if (route.status === 404) return NOT_FOUND
  const actions = actionsOf(route, trunk, gateway)
    .map(([name, data]) => `          <action application="${name}" data="${escapeXml(data)}"/>`)
    .join('\n')
  return `${HEAD}
<document type="freeswitch/xml">
  <section name="dialplan">
    <context name="${escapeXml(context)}">
      <extension name="longcode">
        <condition field="destination_number" expression="^.*$">
${actions}
        </condition>
      </extension>
    </context>
  </section>
</document>
`
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>'

/** The response to anything else. */
export const NOT_FOUND = `${HEAD}
<document type="freeswitch/xml">
  <section name="result">
    <result status="not found"/>
  </section>
</document>
`

function actionsOf(
  { status, target, diversion }: CallRoute,
  trunk: TrunkSettings,
  gateway: string | null,
): [string, string][] {
  if (target === null) {
    const line = plain(status)
    return [['respond', `${line.status} ${line.reason}`]]
  }
  return [
    ['export', `nolocal:sip_h_Diversion=${diversion}`],
    ['set', 'hangup_after_bridge=true'],
    ['bridge', dialString(target, trunk, gateway)],
  ]
}

function dialString(target: string, trunk: TrunkSettings, gateway: string | null): string {
  if (gateway === null) return `sofia/external/${targetUri(target, trunk).slice('sip:'.length)}`
  return `sofia/gateway/${gateway}/${writeNumber(target, trunk.numberForms.written)}`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Drops characters that an XML attribute cannot contain. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[&<>"']/g, (char) => ENTITIES[char]!)
}
