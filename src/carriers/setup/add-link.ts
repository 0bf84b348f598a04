// A link to a provider, set up from nothing or made right: the key is tried, what is there is found by its name, what is
// missing is made, and the carriers' file gets the link. Done again it changes only what differs.

import type { HeldNumber } from '../providers/provisioning.js'
import { DeskFault, type DeskReach } from '../providers/provisioning-client.js'
import { checkKey, findCallbacks, findContainer } from './account-steps.js'
import { lookAtNumbers } from './check-numbers.js'
import { checkWish, publicUrlProblem } from './check-request.js'
import { fieldValue, type LinkFileSource, putIntoFile, readLinkFile } from './link-file.js'
import { openDesk } from './open-desk.js'
import type { SetupReport, SetupStep, SetupWish } from './setup.js'
import { SetupStage } from './setup-stage.js'
import { type AwaitedCall, sendTest, type TestResult, type TestWish } from './test-message.js'

export interface SetupDeps {
  source: LinkFileSource
  reach: DeskReach
  /** As the steps are gone. */
  onStep?: (step: SetupStep) => void
  /** Has the file read by whoever runs, and says what became of it. */
  reload: (report: SetupReport) => Promise<Pick<SetupStep, 'state' | 'text'>>
  /** Null: none is sent. Without a sender, one is chosen. */
  test: (Pick<TestWish, 'to' | 'waitMs' | 'onWait'> & { from: string | null }) | null
  /** Whether the provider has called the service for the test message, until it is ended. */
  hasCalled: (call: AwaitedCall) => Promise<boolean>
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

async function run(stage: SetupStage, deps: SetupDeps): Promise<void> {
  await checkKey(stage)
  const callbacks = await findCallbacks(stage)
  if (callbacks === null) return
  const containerId = await findContainer(stage, callbacks.given)
  const held = await lookAtNumbers(stage, containerId)
  const found = { containerId: containerId ?? '(its id)', ...callbacks.found }
  let isRead = false
  if (putIntoFile(stage, found)) {
    stage.at = 'reload'
    const { state, text } = await deps.reload(stage.report)
    stage.say(state, text)
    isRead = state === 'done'
  }
  await sendFrom(stage, deps, { containerId, held, isRead })
}

interface Reached {
  containerId: string | null
  held: readonly HeldNumber[]
  /** Whether a service has the link, so that it can be called. */
  isRead: boolean
}

async function sendFrom(
  stage: SetupStage,
  { test, hasCalled }: SetupDeps,
  { containerId, held, isRead }: Reached,
): Promise<void> {
  if (test === null) return
  stage.at = 'test'
  const { kind, name, number, isDryRun } = stage.wish
  const own = held.find((one) => containerId !== null && one.containerId === containerId)
  const from = test.from ?? number ?? own?.phoneNumber ?? held[0]?.phoneNumber
  if (from === undefined) return stage.say('skipped', 'There is no number to send from.')
  if (isDryRun || containerId === null) {
    return stage.say('planned', `Would send a test message from ${from} to ${test.to}.`)
  }
  const { callbackUrl: statusUrl } = stage.report
  const result = await sendTest(kind, name, stage.desk, {
    ...{ ...test, from, containerId, statusUrl },
    hasCalled:
      statusUrl === null || !isRead
        ? null
        : (messageId, signal) => hasCalled({ link: name, messageId, signal }),
  })
  stage.say(result.state, result.text)
  if (statusUrl !== null && result.isTaken) sayCall(stage, statusUrl, result)
}

/** What the provider knows is not what arrives here: the address may be wrong, or closed to it. */
function sayCall(stage: SetupStage, url: string, { call }: TestResult): void {
  const { title } = stage.words
  stage.at = 'receipt'
  if (!call) {
    stage.say('skipped', 'Its call was not waited for: no service has the link yet.')
  } else if (call.isHeard === null) {
    stage.say('skipped', 'Whether its call came could not be looked up: the database was lost.')
  } else if (call.isHeard) {
    stage.say('done', `${title} called ${url}: receipts arrive.`)
  } else {
    const waited = `within ${Math.round(call.waitedMs / 1000)} s`
    stage.say(
      'skipped',
      `The message was sent, but no call came ${waited}: check that ${url} is reachable from outside.`,
    )
    stage.lack(
      'receipt',
      `${title} has not called ${url}: receipts and inbound messages would not arrive.`,
      'See that it is reachable from outside by https, and that LONGCODE_PUBLIC_URL is its beginning. Then send another test message.',
    )
  }
}
