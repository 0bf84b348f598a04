// Entries of the activity list in words.

import type { Activity } from '../../generated/types.gen'
import { formatPhone, plural } from './format'

/** Acts of a person about themselves need no ID next to their name. */
const ABOUT_THEMSELVES: Partial<Record<Activity['act'], string>> = {
  'user.join': 'Joined the account',
  'user.sign_in': 'Signed in',
  'user.link': 'Linked the company sign-in',
  'user.password': 'Changed their password',
  'user.second_factor': 'Changed their second factors',
  'user.recovered': 'Set a new password with a recovery link',
}

const ABOUT_OTHERS: Partial<Record<Activity['act'], (who: string, role: string) => string>> = {
  'user.invite': (who, role) => `Invited ${who}${role && ` as ${role}`}`,
  'user.withdraw': (who) => `Withdrew the invitation of ${who}`,
  'user.role': (who, role) => `Changed the role of ${who}${role && ` to ${role}`}`,
  'user.remove': (who) => `Removed ${who}`,
  'user.recover': (who) => `Made a recovery link for ${who}`,
  'user.delete': (who) => `Deleted ${who}`,
}

export function describeActivity(entry: Activity): string {
  const { act, subject, messages, withText } = entry
  const about = subject?.startsWith('+') ? formatPhone(subject) : (subject ?? '')
  if (act === 'message.lookup') {
    const texts = withText ? 'with texts' : 'without texts'
    return `Looked up ${plural(messages ?? 0, 'message')} ${texts}: ${about}`
  }
  const ofOther = ABOUT_OTHERS[act]
  if (ofOther) return ofOther(entry.person ?? about, entry.role ?? '')
  return ABOUT_THEMSELVES[act] ?? `${wordsOf(act)}${about && ` (${about})`}`
}

function wordsOf(act: string): string {
  const words = act.replace('.', ': ').replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** People and operators have names. Tokens have IDs. */
export function describeActor({ by, actor }: Pick<Activity, 'by' | 'actor'>): string {
  if (by === 'operator') return `Operator ${actor}`
  return actor.startsWith('tok_') ? `Token ${actor}` : actor
}
