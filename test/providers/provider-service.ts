// A whole service whose only link goes to a fake provider, which sends its callbacks to the service.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { Role } from '../../src/kit/config.js'
import { temporaryFolder } from '../commands/run-command.js'
import { type Sending, sendingService } from '../sending.js'
import { bandwidthFace, telnyxFace, twilioFace } from './faces.js'
import { type Face, FakeProvider } from './fake-provider.js'

const PUBLIC_URL = 'https://sms.ours.test'
const SID = `AC${'0123456789abcdef'.repeat(2)}`

export type ProviderKind = 'telnyx' | 'bandwidth' | 'twilio'

function faceOf(kind: ProviderKind): { face: Face; lines: string } {
  if (kind === 'telnyx') {
    const face = telnyxFace()
    return { face, lines: `apiKey: KEY\n    publicKey: ${face.publicKey}` }
  }
  if (kind === 'twilio') {
    return {
      face: twilioFace('tok-123'),
      lines: `accountSid: ${SID}\n    authToken: tok-123`,
    }
  }
  const calls = 'callbackUser: cu\n    callbackPassword: cp-cp-cp-cp-cp'
  return {
    face: bandwidthFace('cu', 'cp-cp-cp-cp-cp'),
    lines: `accountId: "55"\n    user: u\n    password: p\n    application: app\n    ${calls}`,
  }
}

export interface ProviderService extends Sending {
  fake: FakeProvider
  /** Settings for another process with the same link. */
  env: Record<string, string>
}

/** `more` adds lines to the link. `through` puts a proxy between the link and the provider. */
export async function providerService(
  t: TestContext,
  kind: ProviderKind,
  more: string | ((url: string) => string) = '',
  through: (url: string) => Promise<string> = async (url) => url,
  roles: readonly Role[] = ['dispatch', 'deliver', 'schedule'],
): Promise<ProviderService> {
  const { face, lines } = faceOf(kind)
  const service: { current: Sending | null } = { current: null }
  const base = `${PUBLIC_URL}/carrier/upstream`
  const fake = new FakeProvider(face, base, () => async (place, { headers, body }) => {
    const { app } = service.current!.service
    const url = `/carrier/upstream${place === '/' ? '' : place}`
    const reply = await app.inject({
      method: 'POST',
      url,
      headers: headers as Record<string, string>,
      payload: body,
    })
    return { status: reply.statusCode }
  })
  await fake.start()
  t.after(() => fake.stop())
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const link = `  - name: upstream\n    kind: ${kind}\n    url: ${await through(fake.url)}\n    ${lines}\n`
  const further = typeof more === 'string' ? more : more(fake.url)
  writeFileSync(file, `links:\n${link}${further}`)
  const env = { LONGCODE_CARRIERS: file, LONGCODE_PUBLIC_URL: PUBLIC_URL }
  service.current = await sendingService(t, { roles, env })
  return { ...service.current, fake, env }
}
