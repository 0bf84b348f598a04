// A whole service between customers and carriers: customers bind to its SMPP server, and its link goes to our SMSC.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { type Smsc, startSmsc } from '../../src/smsc/smsc.js'
import { type Credentials, smppToken } from '../bound-customer.js'
import { type Sending, sendingService } from '../sending.js'
import { privateFolder } from './peer-process.js'

export interface SmppService extends Sending {
  smsc: Smsc
  /** Where customers bind, and with which credentials. */
  port: number
  credentials: Credentials
}

export async function startSmppService(t: TestContext): Promise<SmppService> {
  const smsc = await startSmsc({ idForm: 'hex', receiptIdForm: 'decimal' })
  t.after(() => smsc.stop())
  const file = path.join(privateFolder(t), 'carriers.json')
  const link = {
    name: 'smsc',
    kind: 'smpp',
    host: '127.0.0.1',
    port: smsc.port,
    systemId: 'longcode',
    password: 'secret12',
  }
  writeFileSync(file, JSON.stringify({ links: [link] }))
  const sending = await sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0', LONGCODE_CARRIERS: file },
  })
  const credentials = await smppToken(sending.service)
  return { ...sending, smsc, port: sending.service.smppPort!, credentials }
}
