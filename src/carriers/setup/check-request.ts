// What can be said of a wish before anybody is asked: fields that are missing or wrong, and whether a provider could
// ever reach the address that it would be given.

import { VERTICALS } from '../../brands/verticals.js'
import { findPrivateProblem } from '../../kit/http-client/public-address.js'
import { isE164 } from '../../text/phone-number.js'
import { WORDS } from '../providers/provider-codes.js'
import { fieldValue, type LinkFile } from './link-file.js'
import { SetupRefusal, type SetupWish } from './setup.js'
import { SETUP_FIELDS, type SetupField, USUAL_URLS } from './setup-fields.js'

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/
const CAMPAIGN = /^cmp_[0-9a-z]{26}$/

/** What must still be asked for. */
export function missingFields(wish: SetupWish, file: LinkFile): SetupField[] {
  return SETUP_FIELDS[wish.kind].filter(
    ({ name, isNeeded }) => isNeeded && fieldValue(wish, file, name) === undefined,
  )
}

/** Throws a SetupRefusal. */
export function checkWish(wish: SetupWish, file: LinkFile): void {
  if (!NAME.test(wish.name)) {
    throw new SetupRefusal('name', 'name must be 1 to 40 small letters, digits, - or _.')
  }
  const [missing] = missingFields(wish, file)
  if (missing) {
    throw new SetupRefusal(missing.name, `${missing.name} is needed: ${missing.question}.`)
  }
  for (const { name, pattern, expects } of SETUP_FIELDS[wish.kind]) {
    const given = wish.fields[name]
    if (given && pattern && !pattern.test(given.value)) {
      throw new SetupRefusal(name, `${name} ${expects}.`)
    }
  }
  checkAddresses(wish, file)
  checkPairs(wish, file)
  if (wish.campaign !== null && !CAMPAIGN.test(wish.campaign)) {
    throw new SetupRefusal('campaign', 'campaign must be cmp_ and 26 letters and digits.')
  }
  checkRegistration(wish)
  if (wish.number !== null && !isE164(wish.number)) {
    throw new SetupRefusal(
      'number',
      'number must be a number of yours there, such as +14155550123.',
    )
  }
}

function checkRegistration({ kind, registration }: SetupWish): void {
  if (registration === null) return
  if (kind !== 'telnyx') {
    const text = `registration is available through telnyx only: register brands and campaigns on the pages of ${WORDS[kind].title}.`
    throw new SetupRefusal('registration', text)
  }
  const { vertical } = registration
  if (vertical !== null && !(VERTICALS as readonly string[]).includes(vertical)) {
    throw new SetupRefusal('vertical', `vertical must be one of ${VERTICALS.join(', ')}.`)
  }
}

/** What the file keeps secret is shown to nobody at an address that the file does not name. */
function checkAddresses({ kind, fields }: SetupWish, { values }: LinkFile): void {
  for (const [name, usual] of Object.entries(USUAL_URLS[kind])) {
    const given = fields[name]?.value
    if (given === undefined || given === (values[name] ?? usual)) continue
    const kept = SETUP_FIELDS[kind].find(
      (field) => field.isSecret && values[field.name] !== undefined && !fields[field.name],
    )
    if (kept) {
      const text = `${name} is another than that of the link: give ${kept.name} beside it.`
      throw new SetupRefusal(name, text)
    }
  }
}

/** Two fields that are of use only together. */
function checkPairs(wish: SetupWish, file: LinkFile): void {
  const pairs = { twilio: ['apiKey', 'apiSecret'], bandwidth: ['siteId', 'locationId'], telnyx: [] }
  const [one, other] = pairs[wish.kind]
  if (one === undefined || other === undefined) return
  const [hasOne, hasOther] = [one, other].map((name) => fieldValue(wish, file, name) !== undefined)
  if (hasOne !== hasOther) {
    const [there, missing] = hasOne ? [one, other] : [other, one]
    throw new SetupRefusal(there, `${there} needs ${missing} beside it.`)
  }
  if (wish.kind === 'bandwidth' && wish.monthlyPrice !== null && !hasOne) {
    const text = 'monthlyPrice needs siteId and locationId: that is where Bandwidth puts numbers.'
    throw new SetupRefusal('monthlyPrice', text)
  }
}

/** Why a provider could never call it, to go on after the address; null where nothing says so. */
export function publicUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is no address: give one such as https://sms.example.com'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'is not https: providers call only what is'
  if (findPrivateProblem(url) !== null) return 'is reached from this network only'
  if (url.search !== '' || url.hash !== '') return 'has more than a path: take out ? and #'
  return null
}
