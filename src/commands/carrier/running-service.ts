// Connects the setup of a link with the running service: asks it to reload the file, and finds out whether the provider
// has sent it a callback. Both go through its database. A service that is not running reads the file when it starts.

import type { SetupReport } from '../../carriers/setup/setup.js'
import type { AwaitedCallback } from '../../carriers/setup/test-message.js'
import { operate } from '../command.js'
import { CommandFailure } from '../failure.js'
import type { Output } from '../output.js'

const RELOAD_MS_MAX = 30_000

export async function tellService(out: Output, report: SetupReport) {
  const { BadSetting } = await import('../../kit/settings/setting-reader.js')
  const { recordAdd, reloadStep } = await import('../../operator/oversight/add-carrier.js')
  const { awaitReload, requestReload } = await import('../../operator/oversight/reload-carriers.js')
  try {
    return await operate(out, async ({ world, act }) => {
      const { id } = await act(async (tx, actor, now) => {
        await recordAdd(tx, actor, report, now)
        return requestReload(tx, actor, world.clock)
      })
      return reloadStep(await awaitReload(world, id, RELOAD_MS_MAX))
    })
  } catch (error) {
    if (!(error instanceof CommandFailure) && !(error instanceof BadSetting)) throw error
    const text = `No running service was reloaded. It reads the file when it starts. (${error.message})`
    return { state: 'skipped' as const, text }
  }
}

export async function lookForCall(out: Output, call: AwaitedCallback): Promise<boolean> {
  const { awaitCallback } = await import('../../carriers/setup/test-message.js')
  return operate(out, ({ world }) => awaitCallback(world, call))
}
