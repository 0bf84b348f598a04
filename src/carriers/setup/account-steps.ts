// The first steps of a setup: check the key, find what authenticates the provider's callbacks, and find the link's
// messaging profile, application, or messaging service by name, correct it, or create it. Never creates a second one.

import { randomBytes } from 'node:crypto'
import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import { profileName } from '../providers/provider-module.js'
import type { CallbackAuth, Callbacks, Container } from '../providers/provisioning.js'
import { publicUrlProblem } from './check-request.js'
import type { SetupStage } from './setup-stage.js'

const PASSWORD_BYTES = 24

export async function checkKey(stage: SetupStage): Promise<void> {
  const { title } = stage.provider
  const { text, hasNoMoney, isTrial } = await stage.client.check()
  stage.say('done', `${title} accepted the key.${text === null ? '' : ` ${text}`}`)
  if (hasNoMoney) {
    const remedy = 'Add funds. Without funds, every message is refused.'
    stage.lack('money', `The ${title} account has no funds.`, remedy)
  }
  if (isTrial) {
    const remedy = 'Upgrade the account, or verify the phones that you want to message.'
    stage.lack('trial', 'This is a trial account, which can send only to verified phones.', remedy)
  }
  if (stage.report.callbackUrl === null) lackPublicUrl(stage)
}

function lackPublicUrl(stage: SetupStage): void {
  const { publicUrl } = stage.request
  const text =
    publicUrl === null ? 'No public URL is set.' : `${publicUrl} ${publicUrlProblem(publicUrl)}.`
  const remedy = `Set LONGCODE_PUBLIC_URL to the https URL where ${stage.provider.title} can reach the service, and run this again. Until then, no receipts or replies arrive.`
  stage.lack('public_url', text, remedy)
}

export interface FoundCallbacks {
  callbacks: Callbacks
  /** By field of the link. */
  found: Readonly<Record<string, string>>
}

/** Null if the setup cannot continue. */
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
      return { callbacks: { url: stage.report.callbackUrl }, found: {} }
  }
}

async function findPublicKey(
  stage: SetupStage,
  { field, missing }: Extract<CallbackAuth, { kind: 'public_key' }>,
): Promise<FoundCallbacks | null> {
  const existing = stage.valueOf(field)
  const publicKey = existing ?? (await stage.client.publicKey?.()) ?? null
  if (publicKey === null) {
    stage.say('failed', missing)
    return null
  }
  if (existing === undefined) stage.say('done', 'Fetched the public key for callback signatures.')
  else stage.say('same', 'The public key for callback signatures is already set.')
  return { callbacks: { url: stage.report.callbackUrl }, found: { [field]: publicKey } }
}

/** Generates no password if it cannot be stored. */
function findPassword(
  stage: SetupStage,
  { userField, passwordField, missing }: Extract<CallbackAuth, { kind: 'password' }>,
): FoundCallbacks | null {
  const user = stage.valueOf(userField) ?? 'longcode'
  const existing = stage.valueOf(passwordField)
  if (existing === undefined && stage.obstacle() !== null) {
    stage.say('failed', `${stage.obstacleText()} ${missing}`)
    return null
  }
  const made = stage.request.isDryRun ? 'Would create' : 'Created'
  if (existing === undefined) stage.say(stage.doneOrPlanned, `${made} a password for callbacks.`)
  else stage.say('same', 'The password for callbacks is already set.')
  const password = existing ?? randomBytes(PASSWORD_BYTES).toString('base64url')
  const isNew = stage.file.values[passwordField] !== password
  return {
    callbacks: { url: stage.report.callbackUrl, user, password, isNew },
    found: { [userField]: user, [passwordField]: password },
  }
}

/** Null only in a dry run, if it would have to be created. */
export async function findContainer(
  stage: SetupStage,
  callbacks: Callbacks,
): Promise<string | null> {
  stage.at = 'container'
  const { campaign, name: link, isDryRun } = stage.request
  const { container: word } = stage.provider.setup
  const name = campaign === null ? `longcode ${link}` : profileName(campaign)
  const found = await stage.client.findContainer(name, callbacks)
  if (found) return correct(stage, name, found, callbacks)
  const where = callbacks.url === null ? 'without a webhook' : `with the webhook ${callbacks.url}`
  if (isDryRun) {
    stage.say('planned', `Would create the ${word} "${name}" ${where}.`)
    return null
  }
  const id = await make(stage, name, callbacks)
  stage.say('done', `Created the ${word} "${name}" (${id}) ${where}.`)
  return id
}

/** Looks it up if no response came, because it may exist. */
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

async function correct(
  stage: SetupStage,
  name: string,
  { id, differs }: Container,
  callbacks: Callbacks,
): Promise<string> {
  const what = `the ${stage.provider.setup.container} "${name}" (${id})`
  if (differs.length === 0) {
    stage.say('same', `${what.replace('the', 'The')} is up to date.`)
  } else if (stage.request.isDryRun) {
    stage.say('planned', `Would change ${what}: ${differs.join(', ')}.`)
  } else {
    await stage.client.changeContainer(id, callbacks)
    stage.say('done', `Changed ${what}: ${differs.join(', ')}.`)
  }
  return id
}
