// Reads who forwarded a call before us from Diversion (RFC 5806) and History-Info (RFC 7044), and writes both headers
// with our forwarding added.

import { NEVER_FORWARDED, type PastForwardings } from '../forwarding/decide-call.js'
import { ANY_FORM, readUriNumber, writeNumber } from '../forwarding/number-forms.js'
import { type HeaderTexts, valuesOf } from '../message/headers.js'
import { type NameAddress, readNameAddress } from '../message/name-address.js'
import { readUri } from '../message/uri.js'
import type { TrunkSettings } from './trunk.js'

const COUNTER_MAX = 99
const INDEX = /^\d{1,4}(?:\.\d{1,4}){0,15}$/

/** Null if the headers cannot be parsed: too many values, or an open quote. */
export function readPastForwardings(headers: HeaderTexts): PastForwardings | null {
  if (!headers.has('diversion') && !headers.has('history-info')) return NEVER_FORWARDED
  const diversions = addressesOf(headers, 'diversion')
  const entries = addressesOf(headers, 'history-info')
  if (diversions === null || entries === null) return null
  const numbers = new Set<string>()
  for (const { uri } of [...diversions, ...entries]) {
    const number = numberOf(uri)
    if (number !== null) numbers.add(number)
  }
  const byDiversion = diversions.reduce(
    (sum, { parameters }) => sum + counterOf(parameters.get('counter')),
    0,
  )
  return { count: Math.max(byDiversion, entries.filter(isForwarding).length), numbers }
}

/** Skips values that are not addresses. */
function addressesOf(headers: HeaderTexts, name: string): NameAddress[] | null {
  return valuesOf(headers, name)?.flatMap((value) => readNameAddress(value) ?? []) ?? null
}

function numberOf(uriText: string): string | null {
  const uri = readUri(uriText)
  const read = uri === null ? null : readUriNumber(uri, ANY_FORM)
  return read?.kind === 'number' ? read.number : null
}

/** An entry can count several forwardings; an invalid counter counts as one. */
function counterOf(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) return 1
  return Math.min(COUNTER_MAX, Math.max(1, Number(text)))
}

/** Not every entry is a forwarding: a proxy that relays a call adds itself, too. */
function isForwarding({ uri, parameters }: NameAddress): boolean {
  return parameters.has('mp') || /;cause=\d{3}/i.test(uri)
}

/** Our `Diversion` header; the earlier ones follow it. */
export function writeDiversion(number: string, trunk: TrunkSettings): string {
  return `<${ourUri(number, trunk)}>;reason=unconditional;counter=1`
}

/** Our number and its target, after the existing entries. */
export function writeHistory(
  number: string,
  target: string,
  headers: HeaderTexts,
  trunk: TrunkSettings,
): string {
  const entries = valuesOf(headers, 'history-info') ?? []
  const last = entries.at(-1)
  const address = last === undefined ? null : readNameAddress(last)
  const lastIndex = address?.parameters.get('index') ?? ''
  const isKnown = address !== null && INDEX.test(lastIndex)
  // The last entry is usually the call as we received it.
  const isOurs = isKnown && numberOf(address.uri) === number
  const index = isOurs ? lastIndex : isKnown ? `${lastIndex}.1` : '1'
  const before = entries.map((entry) => `${entry}, `).join('')
  const own = isOurs ? '' : `<${ourUri(number, trunk)}>;index=${index}, `
  const written = writeNumber(target, trunk.numberForms.written)
  const next = `<sip:${written}@${trunk.contactHost};cause=302>;index=${index}.1;mp=${index}`
  return `${before}${own}${next}`
}

function ourUri(number: string, trunk: TrunkSettings): string {
  return `sip:${writeNumber(number, trunk.numberForms.written)}@${trunk.diversionHost}`
}
