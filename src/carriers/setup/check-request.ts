// What can be checked before the provider is contacted: fields that are missing or wrong, and whether a provider could
// ever reach the address that it would be given.

import { VERTICALS } from '../../brands/verticals.js'
import { findPrivateProblem } from '../../kit/http-client/public-address.js'
import { isE164 } from '../../text/phone-number.js'
import { PROVIDERS_WITH_SETUP } from '../providers/providers.js'
import type { SetupField } from '../providers/provisioning.js'
import { fieldValue, type LinkFile } from './link-file.js'
import { SetupRefusal, type SetupRequest } from './setup.js'

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/
const CAMPAIGN = /^cmp_[0-9a-z]{26}$/

/** What is still missing. */
export function missingFields(request: SetupRequest, file: LinkFile): SetupField[] {
  return request.provider.setup.fields.filter(
    ({ name, isRequired }) => isRequired && fieldValue(request, file, name) === undefined,
  )
}

/** Throws a SetupRefusal. */
export function checkRequest(request: SetupRequest, file: LinkFile): void {
  if (!NAME.test(request.name)) {
    throw new SetupRefusal('name', 'name must be 1 to 40 small letters, digits, - or _.')
  }
  const [missing] = missingFields(request, file)
  if (missing) {
    throw new SetupRefusal(missing.name, `${missing.name} is needed: ${missing.question}.`)
  }
  for (const { name, pattern, expects } of request.provider.setup.fields) {
    const given = request.fields[name]
    if (given && pattern && !pattern.test(given.value)) {
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
      'number must be one of your numbers there, such as +14155550123.',
    )
  }
}

function checkRegistration({ provider, registration }: SetupRequest): void {
  if (registration === null) return
  if (!provider.setup.hasRegistration) {
    const able = PROVIDERS_WITH_SETUP.filter(({ setup }) => setup.hasRegistration)
    const names = able.map(({ name }) => name).join(' and ')
    const text = `registration is available through ${names} only: register brands and campaigns on the pages of ${provider.title}.`
    throw new SetupRefusal('registration', text)
  }
  const { vertical } = registration
  if (vertical !== null && !(VERTICALS as readonly string[]).includes(vertical)) {
    throw new SetupRefusal('vertical', `vertical must be one of ${VERTICALS.join(', ')}.`)
  }
}

/** What the file keeps secret is shown to nobody at an address that the file does not name. */
function checkAddresses({ provider: { setup }, fields }: SetupRequest, { values }: LinkFile): void {
  for (const [name, usual] of Object.entries(setup.urls)) {
    const given = fields[name]?.value
    if (given === undefined || given === (values[name] ?? usual)) continue
    const kept = setup.fields.find(
      (field) => field.isSecret && values[field.name] !== undefined && !fields[field.name],
    )
    if (kept) {
      const text = `${name} is another than that of the link: give ${kept.name} too.`
      throw new SetupRefusal(name, text)
    }
  }
}

/** Two fields that are of use only together. */
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
    throw new SetupRefusal(there, `${there} needs ${missing} too.`)
  }
  if (numberFields && request.monthlyPrice !== null && !hasOne) {
    const names = numberFields.join(' and ')
    const text = `monthlyPrice needs ${names}: that is where ${title} puts numbers.`
    throw new SetupRefusal('monthlyPrice', text)
  }
}

/** Why a provider could never reach it, written after the address; null if nothing is wrong. */
export function publicUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return 'is no address: give one such as https://sms.example.com'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'is not https: providers call only what is'
  if (findPrivateProblem(url) !== null) return 'is reached from this network only'
  if (url.search !== '' || url.hash !== '') return 'has more than a path: take out ? and #'
  return null
}
