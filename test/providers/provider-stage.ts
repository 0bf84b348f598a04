// Sets up a link to a fake provider for the conformance suite that every link must pass.

import type { TestContext } from 'node:test'
import { Clock } from '../../src/kit/clock.js'
import { openLog } from '../../src/kit/log.js'
import { Metrics } from '../../src/kit/metrics.js'
import type { Carrier } from '../../src/messages/carrier-port.js'
import type { FarSide, LinkStage } from '../carrier-conformance.js'
import { type Face, FakeProvider } from './fake-provider.js'

const GOOD = '+14155550107'
const REFUSED = '+14155550110'
export const STAGE_PUBLIC_URL = 'https://ours.test'
export const STAGE_LINK = 'acme'
export const STAGE_CALLBACK_URL = `${STAGE_PUBLIC_URL}/carrier/${STAGE_LINK}`

interface Staged {
  face: Face
  /** The provider's code for a recipient that does not exist. */
  code: string
  createLink: (url: string, deps: ReturnType<typeof linkDeps>) => Carrier
}

const linkDeps = () => ({ clock: new Clock(), log: openLog('silent'), metrics: new Metrics() })

export async function providerStage(
  t: TestContext,
  { face, code, createLink }: Staged,
): Promise<LinkStage> {
  const started: { link: Carrier | null } = { link: null }
  const fake = new FakeProvider(
    face,
    STAGE_CALLBACK_URL,
    () => (_path, request) => started.link!.callback!(STAGE_LINK, request),
  )
  await fake.start()
  t.after(() => fake.stop())
  fake.refuses.set(REFUSED, code)
  const deps = linkDeps()
  const link = createLink(fake.url, deps)
  started.link = link
  const farSide: FarSide = {
    texts: () => fake.taken.map(({ text }) => text),
    write: (message) => fake.write(message),
    beSilent: (isSilent) => {
      fake.isSilent = isSilent
    },
    cut: () => fake.cut(),
    goAway: () => fake.stop(),
    comeBack: () => fake.start(),
  }
  const refused = { to: REFUSED, errorCode: 1350 }
  return { link, good: GOOD, refused, farSide, clock: deps.clock }
}
