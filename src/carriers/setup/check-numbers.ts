// Checks the numbers of the account: whether there are any, whether their inbound messages reach us, and whether
// carriers accept their messages.

import { plural } from '../../text/plural.js'
import type { AccountNumber } from '../providers/provisioning.js'
import type { SetupStage } from './setup-stage.js'

export async function checkNumbers(
  stage: SetupStage,
  containerId: string | null,
): Promise<AccountNumber[]> {
  stage.at = 'numbers'
  const { number } = stage.request
  const {
    title,
    setup: { container: word },
  } = stage.provider
  const numbers = await stage.client.listNumbers()
  const requested = numbers.find(({ phoneNumber }) => phoneNumber === number)
  if (number !== null && !requested) {
    stage.say('failed', `${number} is not a number of the ${title} account.`)
    return numbers
  }
  if (containerId !== null) await tie(stage, containerId)
  if (requested && containerId !== null) await putNumber(stage, requested, containerId)
  const own = numbers.filter((one) => containerId !== null && one.containerId === containerId)
  const inIt = stage.client.putNumber ? `, ${own.length} of them in the ${word}` : ''
  const count = plural(numbers.length, 'number')
  if (!requested) stage.say('same', `The account has ${count}${inIt}.`)
  await lackNumbers(stage, { numbers, own, requested }, containerId)
  return numbers
}

async function putNumber(
  stage: SetupStage,
  number: AccountNumber,
  containerId: string,
): Promise<void> {
  const { phoneNumber } = number
  const { container: word } = stage.provider.setup
  if (!stage.client.putNumber) {
    stage.say('same', `${phoneNumber} is a number of the account.`)
  } else if (number.containerId === containerId) {
    stage.say('same', `${phoneNumber} is in the ${word}.`)
  } else if (stage.request.isDryRun) {
    stage.say('planned', `Would add ${phoneNumber} to the ${word}.`)
  } else {
    await stage.client.putNumber(number, containerId)
    stage.say('done', `Added ${phoneNumber} to the ${word}.`)
  }
}

/** At Bandwidth, numbers belong to an application through their location. */
async function tie(stage: SetupStage, containerId: string): Promise<void> {
  const { isTied, tie } = stage.client
  if (!isTied || (await isTied(containerId))) return
  if (!tie) {
    const text =
      'No location is linked to the application, so its numbers can neither send nor receive.'
    const remedy =
      'Select the application on the location’s page at dashboard.bandwidth.com, or run this again with the sub-account and location IDs (--site-id, --location-id).'
    return stage.lack('location', text, remedy)
  }
  if (stage.request.isDryRun)
    return stage.say('planned', 'Would link the location to the application.')
  await tie(containerId)
  stage.say('done', 'Linked the location to the application.')
}

interface Numbers {
  numbers: readonly AccountNumber[]
  /** In the container. */
  own: readonly AccountNumber[]
  requested: AccountNumber | undefined
}

async function lackNumbers(
  stage: SetupStage,
  { numbers, own, requested }: Numbers,
  containerId: string | null,
): Promise<void> {
  const {
    title,
    setup: { container: word },
  } = stage.provider
  const [first] = numbers
  if (!first) {
    const remedy = `Buy one at ${title}, or let customers buy numbers through Longcode (--monthly-price 1).`
    return stage.lack('number', `The ${title} account has no numbers.`, remedy)
  }
  if (stage.client.putNumber && own.length === 0 && !requested) {
    const text = `No number is in the ${word}, so inbound messages do not arrive.`
    stage.lack('number', text, `Run this again with --number ${first.phoneNumber} to add it.`)
  }
  const sender = requested ?? own[0] ?? first
  const isRegistered = containerId && (await stage.client.isRegistered(sender, containerId))
  if (isRegistered === true) return
  const text =
    isRegistered === false
      ? `${sender.phoneNumber} is not in a registered 10DLC campaign at ${title}, so carriers refuse its messages.`
      : `${title} did not report whether the numbers are in a registered 10DLC campaign.`
  const registers = stage.request.registration ?? stage.file.previous?.registration
  const remedy = registers
    ? 'Longcode registers your customers’ brands and campaigns through this link and assigns the numbers they buy. Assign imported numbers yourself.'
    : `Register a brand and campaign at ${title}, and assign the numbers to the campaign.${stage.provider.setup.hasRegistration ? ' Or run this again with --registration to register them through this link.' : ''}`
  stage.lack('campaign', text, remedy)
}
