// Words that a provider acts on by itself, before it tells us: it blocks the phone or lets it through again, and
// answers. Most do not say so in the call, so the word itself does. What only we take for a keyword stays ours.

import type { KeywordName } from '../../text/keywords.js'

type Words = Partial<Record<KeywordName, readonly string[]>>

/** Whether Telnyx answers START and HELP depends on the profile: those are ours unless the call says otherwise. */
const TELNYX: Words = {
  STOP: ['STOP', 'STOPALL', 'STOP ALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT'],
}

/** YES brings back only whom it had blocked, and is what people answer to anything: ours to read. */
const TWILIO: Words = {
  STOP: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  START: ['START', 'UNSTOP'],
  HELP: ['HELP', 'INFO'],
}

const HANDLED = { telnyx: namesOf(TELNYX), twilio: namesOf(TWILIO) }

function namesOf(words: Words): ReadonlyMap<string, KeywordName> {
  const pairs = Object.entries(words) as [KeywordName, readonly string[]][]
  return new Map(pairs.flatMap(([name, given]) => given.map((word) => [word, name] as const)))
}

/** Null: it is nothing to the provider. */
export function handledWord(provider: keyof typeof HANDLED, body: string): KeywordName | null {
  return HANDLED[provider].get(body.trim().toUpperCase()) ?? null
}
