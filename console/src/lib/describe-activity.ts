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

const ABOUT_OTHERS: Partial<Record<Activity['act'], string>> = {
  'user.invite': 'Invited a person',
  'user.withdraw': 'Withdrew an invitation',
  'user.role': 'Changed a role',
  'user.remove': 'Removed a person',
  'user.recover': 'Made a recovery link',
  'user.delete': 'Deleted a person',
}

export function describeActivity({ act, subject, messages, withText }: Activity): string {
  const about = subject?.startsWith('+') ? formatPhone(subject) : (subject ?? '')
  if (act === 'message.lookup') {
    const texts = withText ? 'with texts' : 'without texts'
    return `Looked up ${plural(messages ?? 0, 'message')} ${texts}: ${about}`
  }
  const own = ABOUT_THEMSELVES[act]
  if (own) return own
  return `${ABOUT_OTHERS[act] ?? wordsOf(act)}${about && ` (${about})`}`
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
