// The numbers of the account: whether there are any, whether what phones write to them comes to us, and whether
// networks take what they send.

import type { HeldNumber } from '../providers/provisioning.js'
import type { SetupStage } from './setup-stage.js'

export async function lookAtNumbers(
  stage: SetupStage,
  containerId: string | null,
): Promise<HeldNumber[]> {
  stage.at = 'numbers'
  const { number } = stage.wish
  const { title, container: word } = stage.words
  const held = await stage.desk.listNumbers()
  const wanted = held.find(({ phoneNumber }) => phoneNumber === number)
  if (number !== null && !wanted) {
    stage.say('failed', `${number} is not among the numbers of the account at ${title}.`)
    return held
  }
  if (containerId !== null) await tie(stage, containerId)
  if (wanted && containerId !== null) await putNumber(stage, wanted, containerId)
  const own = held.filter((one) => containerId !== null && one.containerId === containerId)
  const inIt = stage.desk.putNumber ? `, ${own.length} of them in the ${word}` : ''
  const count = held.length === 1 ? '1 number' : `${held.length} numbers`
  if (!wanted) stage.say('same', `The account has ${count}${inIt}.`)
  await lackNumbers(stage, { held, own, wanted }, containerId)
  return held
}

async function putNumber(
  stage: SetupStage,
  number: HeldNumber,
  containerId: string,
): Promise<void> {
  const { phoneNumber } = number
  const { container: word } = stage.words
  if (!stage.desk.putNumber) {
    stage.say('same', `${phoneNumber} is among the numbers of the account.`)
  } else if (number.containerId === containerId) {
    stage.say('same', `${phoneNumber} is in the ${word}.`)
  } else if (stage.wish.isDryRun) {
    stage.say('planned', `Would put ${phoneNumber} into the ${word}.`)
  } else {
    await stage.desk.putNumber(number, containerId)
    number.containerId = containerId
    stage.say('done', `Put ${phoneNumber} into the ${word}.`)
  }
}

/** Of Bandwidth: numbers come into the application by their location. */
async function tie(stage: SetupStage, containerId: string): Promise<void> {
  const { isTied, tie } = stage.desk
  if (!isTied || (await isTied(containerId))) return
  if (!tie) {
    const text = 'No location is tied to the application: its numbers neither send nor receive.'
    const remedy =
      'Choose the application on the location’s page at dashboard.bandwidth.com, or run this again with the ids of the sub-account and the location (--site-id, --location-id).'
    return stage.lack('location', text, remedy)
  }
  if (stage.wish.isDryRun) return stage.say('planned', 'Would tie the location to the application.')
  await tie(containerId)
  stage.say('done', 'Tied the location to the application.')
}

interface Numbers {
  held: readonly HeldNumber[]
  /** In the container. */
  own: readonly HeldNumber[]
  wanted: HeldNumber | undefined
}

async function lackNumbers(
  stage: SetupStage,
  { held, own, wanted }: Numbers,
  containerId: string | null,
): Promise<void> {
  const { title, container: word } = stage.words
  const [first] = held
  if (!first) {
    const remedy = `Buy one on its pages, or let customers buy them: --monthly-price 1 sells the numbers of ${title}.`
    return stage.lack('number', `The account at ${title} has no number.`, remedy)
  }
  if (stage.desk.putNumber && own.length === 0 && !wanted) {
    const text = `No number is in the ${word}: what phones write to them does not arrive here.`
    stage.lack(
      'number',
      text,
      `Run this again with --number ${first.phoneNumber}, which puts it in.`,
    )
  }
  const sender = wanted ?? own[0] ?? first
  const isRegistered = containerId && (await stage.desk.isRegistered(sender, containerId))
  if (isRegistered === true) return
  const text =
    isRegistered === false
      ? `${sender.phoneNumber} is in no registered 10DLC campaign at ${title}: networks refuse what it sends.`
      : `Whether the numbers are in a registered 10DLC campaign, ${title} did not say.`
  const registers = stage.wish.registration ?? stage.file.former?.registration
  const remedy = registers
    ? 'Longcode registers the brands and campaigns of customers through this link and assigns the numbers they buy. Assign numbers that you have imported yourself.'
    : `Register brand and campaign on the pages of ${title}, and assign the numbers to it.${stage.wish.kind === 'telnyx' ? ' Or run this again with --registration, and Longcode registers them through this link.' : ''}`
  stage.lack('campaign', text, remedy)
}
