// A link to a provider, set up from nothing or made right: the key is tried, what is there is found by its name, what is
// missing is made, and the carriers' file gets the link. Done again it changes only what differs.

import { checkWish, publicUrlProblem } from './check-wish.js'
import type { HeldNumber } from './desk.js'
import { DeskFault, type DeskReach } from './desk-client.js'
import { checkKey, findCallbacks } from './find-callbacks.js'
import { findContainer } from './find-container.js'
import { fieldValue, type LinkFileSource, readLinkFile } from './link-file.js'
import { lookAtNumbers } from './look-at-numbers.js'
import { openDesk } from './open-desk.js'
import { putIntoFile } from './put-into-file.js'
import type { SetupReport, SetupStep, SetupWish } from './setup.js'
import { SetupStage } from './setup-stage.js'
import { sendTest, type TestWish } from './test-message.js'

export interface SetupDeps {
  source: LinkFileSource
  reach: DeskReach
  /** As the steps are gone. */
  onStep?: (step: SetupStep) => void
  /** Has the file read by whoever runs, and says what became of it. */
  reload: (report: SetupReport) => Promise<Pick<SetupStep, 'state' | 'text'>>
  /** Null: none is sent. Without a sender, one is chosen. */
  test: (Omit<TestWish, 'from' | 'containerId'> & { from: string | null }) | null
}

/** Throws a SetupRefusal where it cannot be begun. */
export async function addLink(wish: SetupWish, deps: SetupDeps): Promise<SetupReport> {
  const { source, onStep } = deps
  const file = readLinkFile(source, wish)
  checkWish(wish, file)
  const desk = openDesk(wish.kind, (name) => fieldValue(wish, file, name), deps.reach)
  const callbackUrl = callbackUrlOf(wish)
  const stage = new SetupStage(wish, { file, desk, source, callbackUrl, onStep })
  try {
    await run(stage, deps)
  } catch (error) {
    if (!(error instanceof DeskFault)) throw error
    stage.say('failed', error.message)
  } finally {
    await desk.close()
  }
  return stage.report
}

/** Null where no provider could call it. */
function callbackUrlOf({ publicUrl, name }: SetupWish): string | null {
  const isReachable = publicUrl !== null && publicUrlProblem(publicUrl) === null
  return isReachable ? `${publicUrl}/carrier/${name}` : null
}

async function run(stage: SetupStage, { reload, test }: SetupDeps): Promise<void> {
  await checkKey(stage)
  const callbacks = await findCallbacks(stage)
  if (callbacks === null) return
  const containerId = await findContainer(stage, callbacks.given)
  const held = await lookAtNumbers(stage, containerId)
  const found = { containerId: containerId ?? '(its id)', ...callbacks.found }
  if (putIntoFile(stage, found)) {
    stage.at = 'reload'
    const { state, text } = await reload(stage.report)
    stage.say(state, text)
  }
  if (test !== null) await sendFrom(stage, test, containerId, held)
}

async function sendFrom(
  stage: SetupStage,
  test: NonNullable<SetupDeps['test']>,
  containerId: string | null,
  held: readonly HeldNumber[],
): Promise<void> {
  stage.at = 'test'
  const { kind, name, number, isDryRun } = stage.wish
  const own = held.find((one) => containerId !== null && one.containerId === containerId)
  const from = test.from ?? number ?? own?.phoneNumber ?? held[0]?.phoneNumber
  if (from === undefined) return stage.say('skipped', 'There is no number to send from.')
  if (isDryRun || containerId === null) {
    return stage.say('planned', `Would send a test message from ${from} to ${test.to}.`)
  }
  const { state, text } = await sendTest(kind, name, stage.desk, { ...test, from, containerId })
  stage.say(state, text)
}
