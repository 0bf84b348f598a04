// The messaging profile, application or messaging service that holds the link's numbers: found by its name, made right
// where it differs, made where it is not there. Never a second one.

import { profileName } from '../providers/number-client.js'
import type { Callbacks, Container } from '../providers/provisioning.js'
import { DeskFault } from '../providers/provisioning-client.js'
import type { SetupStage } from './setup-stage.js'

/** Null only where it would have to be made, and nothing is to be done. */
export async function findContainer(
  stage: SetupStage,
  callbacks: Callbacks,
): Promise<string | null> {
  stage.at = 'container'
  const { campaign, name: link, isDryRun } = stage.wish
  const { container: word } = stage.words
  const name = campaign === null ? `longcode ${link}` : profileName(campaign)
  const found = await stage.desk.findContainer(name, callbacks)
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
async function make({ desk }: SetupStage, name: string, callbacks: Callbacks): Promise<string> {
  try {
    return await desk.createContainer(name, callbacks)
  } catch (error) {
    if (!(error instanceof DeskFault) || error.kind !== 'unknown') throw error
    const found = await desk.findContainer(name, callbacks)
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
  const what = `the ${stage.words.container} "${name}" (${id})`
  if (differs.length === 0) {
    stage.say('same', `${what.replace('the', 'The')} is there, and as it should be.`)
  } else if (stage.wish.isDryRun) {
    stage.say('planned', `Would change ${what}: ${differs.join(', ')}.`)
  } else {
    await stage.desk.changeContainer(id, callbacks)
    stage.say('done', `Changed ${what}: ${differs.join(', ')}.`)
  }
  return id
}
