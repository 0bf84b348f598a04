// Checks before the provider is contacted: missing or invalid fields, and whether a provider could reach the callback
// URL.

import { VERTICALS } from '../../brands/verticals.js'
import { findPrivateProblem } from '../../kit/http-client/public-address.js'
import { isE164 } from '../../text/phone-number.js'
import { PROVIDERS_WITH_SETUP } from '../providers/providers.js'
import type { SetupField } from '../providers/provisioning.js'
import { fieldValue, type LinkFile } from './link-file.js'
import { SetupRefusal, type SetupRequest } from './setup.js'

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/
const CAMPAIGN = /^cmp_[0-9a-z]{26}$/

/** The fields that are still missing. */
export function missingFields(request: SetupRequest, file: LinkFile): SetupField[] {
  return request.provider.setup.fields.filter(
    ({ name, isRequired }) => isRequired && fieldValue(request, file, name) === undefined,
  )
}

/** Throws a SetupRefusal. */
export function checkRequest(request: SetupRequest, file: LinkFile): void {
  if (!NAME.test(request.name)) {
    throw new SetupRefusal('name', 'name must be 1 to 40 lowercase letters, digits, - or _.')
  }
  const [missing] = missingFields(request, file)
  if (missing) {
    throw new SetupRefusal(missing.name, `${missing.name} is required: ${missing.question}.`)
  }
  for (const { name, pattern, expects } of request.provider.setup.fields) {
    const input = request.fields[name]
    if (input && pattern && !pattern.test(input.value)) {
      throw new SetupRefusal(name, `${name} ${expects}.`)
    }
  }
  checkAddresses(request, file)
  checkPairs(request, file)
  if (request.campaign !== null && !CAMPAIGN.test(request.campaign)) {
    throw new SetupRefusal('campaign', 'campaign must be cmp_ and 26 letters and digits.')
  }
  checkRegistration(request)
  if (request.number !== null && !isE164(request.number)) {
    throw new SetupRefusal(
      'number',
      'number must be one of your numbers at the provider, such as +14155550123.',
    )
  }
}

function checkRegistration({ provider, registration }: SetupRequest): void {
  if (registration === null) return
  if (!provider.setup.hasRegistration) {
    const able = PROVIDERS_WITH_SETUP.filter(({ setup }) => setup.hasRegistration)
    const names = able.map(({ name }) => name).join(' and ')
    const text = `registration is available only through ${names}. Register brands and campaigns at ${provider.title}.`
    throw new SetupRefusal('registration', text)
  }
  const { vertical } = registration
  if (vertical !== null && !(VERTICALS as readonly string[]).includes(vertical)) {
    throw new SetupRefusal('vertical', `vertical must be one of ${VERTICALS.join(', ')}.`)
  }
}

/** A secret from the file is sent only to a URL from the file. */
function checkAddresses({ provider: { setup }, fields }: SetupRequest, { values }: LinkFile): void {
  for (const [name, usual] of Object.entries(setup.urls)) {
    const url = fields[name]?.value
    if (url === undefined || url === (values[name] ?? usual)) continue
    const kept = setup.fields.find(
      (field) => field.isSecret && values[field.name] !== undefined && !fields[field.name],
    )
    if (kept) {
      const text = `${name} differs from the link in the file. Set ${kept.name} as well.`
      throw new SetupRefusal(name, text)
    }
  }
}

/** Two fields that only work together. */
function checkPairs(request: SetupRequest, file: LinkFile): void {
  const { title, setup } = request.provider
  const { pair, numberFields } = setup
  if (!pair) return
  const [one, other] = pair
  const [hasOne, hasOther] = [one, other].map(
    (name) => fieldValue(request, file, name) !== undefined,
  )
  if (hasOne !== hasOther) {
    const [there, missing] = hasOne ? [one, other] : [other, one]
    throw new SetupRefusal(there, `${there} requires ${missing}.`)
  }
  if (numberFields && request.monthlyPrice !== null && !hasOne) {
    const names = numberFields.join(' and ')
    const text = `monthlyPrice requires ${names}, because ${title} orders numbers into them.`
    throw new SetupRefusal('monthlyPrice', text)
  }
}

/** Why a provider could never reach the URL, as a sentence after it. Null if nothing is wrong. */
export function publicUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is not a URL such as https://sms.example.com'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'is not https. Providers send callbacks only to https URLs'
  if (findPrivateProblem(url) !== null) return 'is reachable only from this network'
  if (url.search !== '' || url.hash !== '') return 'must not contain ? or #'
  return null
}
