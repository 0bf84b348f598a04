// Sets up or corrects a link to a provider: checks the key, finds existing resources by name, creates missing ones, and
// writes the link to the carriers file. A second run changes only what differs.

import { RemoteFault } from '../../kit/http-client/remote-fault.js'
import {
  type AccountNumber,
  createSetupClient,
  type SetupReach,
  type SetupValues,
} from '../providers/provisioning.js'
import { checkKey, findCallbacks, findContainer } from './account-steps.js'
import { checkNumbers } from './check-numbers.js'
import { checkRequest, publicUrlProblem } from './check-request.js'
import {
  fieldValue,
  type LinkFile,
  type LinkFileSource,
  putIntoFile,
  readLinkFile,
} from './link-file.js'
import type { SetupReport, SetupRequest, SetupStep } from './setup.js'
import { SetupStage } from './setup-stage.js'
import {
  type AwaitedCallback,
  sendTest,
  type TestRequest,
  type TestResult,
} from './test-message.js'

export interface SetupDeps {
  source: LinkFileSource
  reach: SetupReach
  /** Called after each step. */
  onStep?: (step: SetupStep) => void
  /** Makes running processes read the file, and returns the result. */
  reload: (report: SetupReport) => Promise<Pick<SetupStep, 'state' | 'text'>>
  /** Null sends no test message. Without a sender, one is chosen. */
  test: (Pick<TestRequest, 'to' | 'waitMs' | 'onWait'> & { from: string | null }) | null
  /** Whether the provider has sent a callback for the test message. Waits until the signal. */
  hasCalled: (call: AwaitedCallback) => Promise<boolean>
}

/** Throws a SetupRefusal if it cannot start. */
export async function addLink(request: SetupRequest, deps: SetupDeps): Promise<SetupReport> {
  const { source, onStep } = deps
  const file = readLinkFile(source, request)
  checkRequest(request, file)
  const { provider } = request
  const http = createSetupClient(provider, deps.reach)
  const client = provider.setup.open(valuesOf(request, file), http)
  const callbackUrl = callbackUrlOf(request)
  const stage = new SetupStage(request, { file, client, source, callbackUrl, onStep })
  try {
    await run(stage, deps)
  } catch (error) {
    if (!(error instanceof RemoteFault)) throw error
    stage.say('failed', error.message)
  } finally {
    await http.close()
  }
  return stage.report
}

/** The given values, those in the file, and the default URLs. */
function valuesOf(request: SetupRequest, file: LinkFile): SetupValues {
  const { fields, urls } = request.provider.setup
  const values = fields.flatMap(({ name }) => {
    const value = fieldValue(request, file, name)
    return value === undefined ? [] : [[name, value]]
  })
  return { ...urls, ...Object.fromEntries(values) }
}

/** Null if no provider could reach it. */
function callbackUrlOf({ publicUrl, name }: SetupRequest): string | null {
  const isReachable = publicUrl !== null && publicUrlProblem(publicUrl) === null
  return isReachable ? `${publicUrl}/carrier/${name}` : null
}

async function run(stage: SetupStage, deps: SetupDeps): Promise<void> {
  await checkKey(stage)
  const callbacks = await findCallbacks(stage)
  if (callbacks === null) return
  const containerId = await findContainer(stage, callbacks.callbacks)
  const numbers = await checkNumbers(stage, containerId)
  const found = { containerId: containerId ?? '(its id)', fields: callbacks.found }
  let isRead = false
  if (putIntoFile(stage, found)) {
    stage.at = 'reload'
    const { state, text } = await deps.reload(stage.report)
    stage.say(state, text)
    isRead = state === 'done'
  }
  await sendFrom(stage, deps, { containerId, numbers, isRead })
}

interface Reached {
  containerId: string | null
  numbers: readonly AccountNumber[]
  /** Whether a running service has the link and can receive callbacks. */
  isRead: boolean
}

async function sendFrom(
  stage: SetupStage,
  { test, hasCalled }: SetupDeps,
  { containerId, numbers, isRead }: Reached,
): Promise<void> {
  if (test === null) return
  stage.at = 'test'
  const { provider, name, number, isDryRun } = stage.request
  const own = numbers.find((one) => containerId !== null && one.containerId === containerId)
  const from = test.from ?? number ?? own?.phoneNumber ?? numbers[0]?.phoneNumber
  if (from === undefined) return stage.say('skipped', 'There is no number to send from.')
  if (isDryRun || containerId === null) {
    return stage.say('planned', `Would send a test message from ${from} to ${test.to}.`)
  }
  const { callbackUrl: statusUrl } = stage.report
  const result = await sendTest(provider.codes, name, stage.client, {
    ...{ ...test, from, containerId, statusUrl },
    hasCalled:
      statusUrl === null || !isRead
        ? null
        : (messageId, signal) => hasCalled({ link: name, messageId, signal }),
  })
  stage.say(result.state, result.text)
  if (statusUrl !== null && result.isTaken) sayCall(stage, statusUrl, result)
}

/** The provider's report does not prove that callbacks arrive: the URL may be wrong or unreachable. */
function sayCall(stage: SetupStage, url: string, { call }: TestResult): void {
  const { title } = stage.provider
  stage.at = 'receipt'
  if (!call) {
    stage.say('skipped', 'Not waiting for a callback, because no running service has the link yet.')
  } else if (call.isHeard === null) {
    stage.say(
      'skipped',
      'It is unknown whether a callback arrived, because the database connection was lost.',
    )
  } else if (call.isHeard) {
    stage.say('done', `${title} sent a callback to ${url}. Receipts arrive.`)
  } else {
    const waited = `within ${Math.round(call.waitedMs / 1000)} s`
    stage.say(
      'skipped',
      `The message was sent, but no callback arrived ${waited}. Check that ${url} is reachable from the Internet.`,
    )
    stage.lack(
      'receipt',
      `${title} sent no callback to ${url}, so receipts and inbound messages would not arrive.`,
      'Check that it is reachable from the Internet over https, and that LONGCODE_PUBLIC_URL is correct. Then send another test message.',
    )
  }
}
