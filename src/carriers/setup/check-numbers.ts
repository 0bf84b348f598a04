// The numbers of the account: whether there are any, whether what phones write to them comes to us, and whether
// networks take what they send.

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
  const wanted = numbers.find(({ phoneNumber }) => phoneNumber === number)
  if (number !== null && !wanted) {
    stage.say('failed', `${number} is not among the numbers of the account at ${title}.`)
    return numbers
  }
  if (containerId !== null) await tie(stage, containerId)
  if (wanted && containerId !== null) await putNumber(stage, wanted, containerId)
  const own = numbers.filter((one) => containerId !== null && one.containerId === containerId)
  const inIt = stage.client.putNumber ? `, ${own.length} of them in the ${word}` : ''
  const count = plural(numbers.length, 'number')
  if (!wanted) stage.say('same', `The account has ${count}${inIt}.`)
  await lackNumbers(stage, { numbers, own, wanted }, containerId)
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
    stage.say('same', `${phoneNumber} is among the numbers of the account.`)
  } else if (number.containerId === containerId) {
    stage.say('same', `${phoneNumber} is in the ${word}.`)
  } else if (stage.request.isDryRun) {
    stage.say('planned', `Would put ${phoneNumber} into the ${word}.`)
  } else {
    await stage.client.putNumber(number, containerId)
    number.containerId = containerId
    stage.say('done', `Put ${phoneNumber} into the ${word}.`)
  }
}

/** Of Bandwidth: numbers come into the application by their location. */
async function tie(stage: SetupStage, containerId: string): Promise<void> {
  const { isTied, tie } = stage.client
  if (!isTied || (await isTied(containerId))) return
  if (!tie) {
    const text = 'No location is tied to the application: its numbers neither send nor receive.'
    const remedy =
      'Choose the application on the location’s page at dashboard.bandwidth.com, or run this again with the ids of the sub-account and the location (--site-id, --location-id).'
    return stage.lack('location', text, remedy)
  }
  if (stage.request.isDryRun)
    return stage.say('planned', 'Would tie the location to the application.')
  await tie(containerId)
  stage.say('done', 'Tied the location to the application.')
}

interface Numbers {
  numbers: readonly AccountNumber[]
  /** In the container. */
  own: readonly AccountNumber[]
  wanted: AccountNumber | undefined
}

async function lackNumbers(
  stage: SetupStage,
  { numbers, own, wanted }: Numbers,
  containerId: string | null,
): Promise<void> {
  const {
    title,
    setup: { container: word },
  } = stage.provider
  const [first] = numbers
  if (!first) {
    const remedy = `Buy one on its pages, or let customers buy them: --monthly-price 1 sells the numbers of ${title}.`
    return stage.lack('number', `The account at ${title} has no number.`, remedy)
  }
  if (stage.client.putNumber && own.length === 0 && !wanted) {
    const text = `No number is in the ${word}: what phones write to them does not arrive here.`
    stage.lack(
      'number',
      text,
      `Run this again with --number ${first.phoneNumber}, which puts it in.`,
    )
  }
  const sender = wanted ?? own[0] ?? first
  const isRegistered = containerId && (await stage.client.isRegistered(sender, containerId))
  if (isRegistered === true) return
  const text =
    isRegistered === false
      ? `${sender.phoneNumber} is in no registered 10DLC campaign at ${title}: networks refuse what it sends.`
      : `Whether the numbers are in a registered 10DLC campaign, ${title} did not say.`
  const registers = stage.request.registration ?? stage.file.previous?.registration
  const remedy = registers
    ? 'Longcode registers the brands and campaigns of customers through this link and assigns the numbers they buy. Assign numbers that you have imported yourself.'
    : `Register brand and campaign on the pages of ${title}, and assign the numbers to it.${stage.provider.setup.hasRegistration ? ' Or run this again with --registration, and Longcode registers them through this link.' : ''}`
  stage.lack('campaign', text, remedy)
}
