// A running service with a Twilio credential, and the official packages pointed at it. Only loopback is contacted.

import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import twilio6 from 'twilio'
import twilio4 from 'twilio4'
import twilio5 from 'twilio5'
import type { TestOptions } from '../harness.js'
import { type Sending, sendingService } from '../sending.js'

// The three versions have the same methods here, and one type for all keeps the tests short.
type Client = ReturnType<typeof twilio6>

const PACKAGES = { 4: twilio4, 5: twilio5, 6: twilio6 } as unknown as Record<string, typeof twilio6>
export const VERSIONS = Object.keys(PACKAGES)

export interface TwilioStage extends Sending {
  base: string
  accountSid: string
  authToken: string
  client: (version?: string, authToken?: string) => Client
  request: (method: string, path: string, form?: Record<string, string>) => Promise<Response>
}

export async function twilioStage(t: TestContext, options: TestOptions = {}): Promise<TwilioStage> {
  const sending = await sendingService(t, options)
  const { service } = sending
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = service.app.server.address() as AddressInfo
  const base = `http://127.0.0.1:${port}`
  const { body } = await service.post('/v1/account/twilio')
  const { accountSid, authToken } = body.twilio
  return {
    ...sending,
    base,
    accountSid,
    authToken,
    client: (version = '6', token = authToken) => {
      const client = PACKAGES[version]!(accountSid, token)
      client.api.baseUrl = base
      return client
    },
    request: (method, path, form) =>
      fetch(`${base}/2010-04-01/Accounts/${accountSid}${path}`, {
        method,
        headers: {
          authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
        },
        ...(form && { body: new URLSearchParams(form) }),
      }),
  }
}

/** What the package throws: Twilio's code and status. */
export async function codeOf(work: Promise<unknown>): Promise<[number, number]> {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  )
  return [error?.code, error?.status]
}
