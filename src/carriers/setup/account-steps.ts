// The first steps of a setup: the key is tried, what authenticates the provider's callbacks is found, and the messaging
// profile, application or messaging service that holds the link's numbers is found by its name, corrected or created.
// Never a second one.

import { randomBytes } from 'node:crypto'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import { profileName } from '../providers/provider-module.js'
import type { CallbackAuth, Callbacks, Container } from '../providers/provisioning.js'
import { publicUrlProblem } from './check-request.js'
import type { SetupStage } from './setup-stage.js'

const PASSWORD_OCTETS = 24

export async function checkKey(stage: SetupStage): Promise<void> {
  const { title } = stage.provider
  const { text, hasNoMoney, isTrial } = await stage.client.check()
  stage.say('done', `${title} takes the key.${text === null ? '' : ` ${text}`}`)
  if (hasNoMoney) {
    const remedy = 'Pay in there: without money it refuses every message.'
    stage.lack('money', `The account at ${title} has no money.`, remedy)
  }
  if (isTrial) {
    const remedy = 'Upgrade it on its pages, or verify the phones that you want to write to.'
    stage.lack('trial', 'It is a trial account, which writes to verified phones only.', remedy)
  }
  if (stage.report.callbackUrl === null) lackPublicUrl(stage)
}

function lackPublicUrl(stage: SetupStage): void {
  const { publicUrl } = stage.request
  const text =
    publicUrl === null
      ? 'No public address is known.'
      : `${publicUrl} ${publicUrlProblem(publicUrl)}.`
  const remedy = `Set LONGCODE_PUBLIC_URL to the https address by which ${stage.provider.title} reaches the service, and run this again: until then neither receipts nor replies arrive.`
  stage.lack('public_url', text, remedy)
}

export interface FoundCallbacks {
  given: Callbacks
  /** By field of the link. */
  found: Readonly<Record<string, string>>
}

/** Null: it cannot continue. */
export async function findCallbacks(stage: SetupStage): Promise<FoundCallbacks | null> {
  stage.at = 'callbacks'
  const { callbackAuth } = stage.provider.setup
  switch (callbackAuth.kind) {
    case 'public_key':
      return findPublicKey(stage, callbackAuth)
    case 'password':
      return findPassword(stage, callbackAuth)
    case 'field':
      stage.say('same', callbackAuth.text)
      return { given: { url: stage.report.callbackUrl }, found: {} }
  }
}

async function findPublicKey(
  stage: SetupStage,
  { field, missing }: Extract<CallbackAuth, { kind: 'public_key' }>,
): Promise<FoundCallbacks | null> {
  const known = stage.valueOf(field)
  const publicKey = known ?? (await stage.client.publicKey?.()) ?? null
  if (publicKey === null) {
    stage.say('failed', missing)
    return null
  }
  if (known === undefined) stage.say('done', 'Fetched the public key of its signatures.')
  else stage.say('same', 'The public key of its signatures is known.')
  return { given: { url: stage.report.callbackUrl }, found: { [field]: publicKey } }
}

/** A password that nobody could store is not made. */
function findPassword(
  stage: SetupStage,
  { userField, passwordField, missing }: Extract<CallbackAuth, { kind: 'password' }>,
): FoundCallbacks | null {
  const user = stage.valueOf(userField) ?? 'longcode'
  const known = stage.valueOf(passwordField)
  if (known === undefined && stage.obstacle() !== null) {
    stage.say('failed', `${stage.obstacleText()} ${missing}`)
    return null
  }
  const made = stage.request.isDryRun ? 'Would make' : 'Made'
  if (known === undefined) stage.say(stage.doneOrPlanned, `${made} a password that its calls show.`)
  else stage.say('same', 'The password that its calls show is known.')
  const password = known ?? randomBytes(PASSWORD_OCTETS).toString('base64url')
  const isNew = stage.file.values[passwordField] !== password
  return {
    given: { url: stage.report.callbackUrl, user, password, isNew },
    found: { [userField]: user, [passwordField]: password },
  }
}

/** Null only where it would have to be made, and nothing is to be done. */
export async function findContainer(
  stage: SetupStage,
  callbacks: Callbacks,
): Promise<string | null> {
  stage.at = 'container'
  const { campaign, name: link, isDryRun } = stage.request
  const { container: word } = stage.provider.setup
  const name = campaign === null ? `longcode ${link}` : profileName(campaign)
  const found = await stage.client.findContainer(name, callbacks)
  if (found) return makeRight(stage, name, found, callbacks)
  const where = callbacks.url === null ? 'without a webhook' : `with the webhook ${callbacks.url}`
  if (isDryRun) {
    stage.say('planned', `Would make the ${word} "${name}", ${where}.`)
    return null
  }
  const id = await make(stage, name, callbacks)
  stage.say('done', `Made the ${word} "${name}" (${id}), ${where}.`)
  return id
}

/** Where no answer came it is looked for: it may be there. */
async function make({ client }: SetupStage, name: string, callbacks: Callbacks): Promise<string> {
  try {
    return await client.createContainer(name, callbacks)
  } catch (error) {
    if (!(error instanceof RemoteFault) || error.kind !== 'unknown') throw error
    const found = await client.findContainer(name, callbacks)
    if (!found) throw error
    return found.id
  }
}

async function makeRight(
  stage: SetupStage,
  name: string,
  { id, differs }: Container,
  callbacks: Callbacks,
): Promise<string> {
  const what = `the ${stage.provider.setup.container} "${name}" (${id})`
  if (differs.length === 0) {
    stage.say('same', `${what.replace('the', 'The')} is there, and as it should be.`)
  } else if (stage.request.isDryRun) {
    stage.say('planned', `Would change ${what}: ${differs.join(', ')}.`)
  } else {
    await stage.client.changeContainer(id, callbacks)
    stage.say('done', `Changed ${what}: ${differs.join(', ')}.`)
  }
  return id
}
