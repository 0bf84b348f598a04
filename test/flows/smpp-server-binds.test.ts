// Who may bind by SMPP, how often, and how fast, and what happens to binds that end.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/kit/config.js'
import { Refusal } from '../../src/kit/contract/refusal.js'
import { type Statement, sql } from '../../src/kit/postgres/sql.js'
import { startService } from '../../src/serve.js'
import { encodePdu } from '../../src/smpp/pdu/encode.js'
import { makePdu } from '../../src/smpp/pdu/pdu.js'
import { STATUS } from '../../src/smpp/pdu/status.js'
import { makeStandardTlv } from '../../src/smpp/pdu/tlv.js'
import type { BindName } from '../../src/smpp/session/session-event.js'
import { type SmppServer, startSmppServer } from '../../src/smpp-server/smpp-server.js'
import { boundCustomer, Customer, plain, smppToken } from '../bound-customer.js'
import { eventually, type TestService } from '../harness.js'
import { selfSigned } from '../self-signed.js'
import { type Sending, sendingService, VZW } from '../sending.js'
import { WAITING } from '../waiting.js'

async function smppService(t: TestContext, env = {}): Promise<Sending> {
  return sendingService(t, {
    roles: ['api', 'dispatch', 'schedule'],
    env: { LONGCODE_SMPP_PORT: '0', ...env },
  })
}

async function tryBind(
  t: TestContext,
  { smppPort }: TestService,
  ...bind: Parameters<Customer['bind']>
): Promise<string> {
  const customer = await Customer.connect(smppPort!)
  t.after(() => customer.end())
  return customer.bind(...bind)
}

test('a bind needs the right password or the whole token, and the scopes for its kind', async (t) => {
  const { service } = await smppService(t)
  const good = await smppToken(service)
  const { systemId, password, accessToken } = good
  const other = await smppToken(service)
  const sends = await smppToken(service, {}, { scopes: ['send'] })
  const reads = await smppToken(service, {}, { scopes: ['read'] })
  const cases: [Parameters<Customer['bind']>[0], BindName, string][] = [
    [good, 'bind_transceiver', 'ESME_ROK'],
    [{ systemId, password: accessToken }, 'bind_transceiver', 'ESME_ROK'],
    [{ systemId, password: 'wrong' }, 'bind_transceiver', 'ESME_RINVPASWD'],
    [{ systemId, password: other.password }, 'bind_transceiver', 'ESME_RINVPASWD'],
    [{ systemId: 'nobody', password }, 'bind_transceiver', 'ESME_RINVPASWD'],
    [{ systemId: '', password: '' }, 'bind_transceiver', 'ESME_RINVPASWD'],
    [sends, 'bind_transceiver', 'ESME_RBINDFAIL'],
    [sends, 'bind_receiver', 'ESME_RBINDFAIL'],
    [sends, 'bind_transmitter', 'ESME_ROK'],
    [reads, 'bind_transmitter', 'ESME_RBINDFAIL'],
    [reads, 'bind_receiver', 'ESME_ROK'],
  ]
  // The good ones first, because failures count against the address until they are forgiven.
  for (const isGood of [true, false]) {
    const some = cases.filter(([, , status]) => (status === 'ESME_ROK') === isGood)
    const told = await Promise.all(some.map(([who, as]) => tryBind(t, service, who, as)))
    assert.deepEqual(
      told,
      some.map(([, , status]) => status),
    )
  }
})

test('many simultaneous binds of one customer all succeed', async (t) => {
  const { service } = await smppService(t, { LONGCODE_SMPP_BINDS: '20' })
  const good = await smppToken(service)
  const statuses = await Promise.all(Array.from({ length: 12 }, () => tryBind(t, service, good)))
  assert.deepEqual(new Set(statuses), new Set(['ESME_ROK']))
})

test('customers that share an address, and a customer with many addresses, are not taken for guessing', async (t) => {
  const { service } = await smppService(t, { LONGCODE_SMPP_BINDS: '40' })
  for (let i = 0; i < 13; i += 1) {
    assert.equal(await tryBind(t, service, await smppToken(service)), 'ESME_ROK', `customer ${i}`)
  }
  const good = await smppToken(service)
  for (let i = 2; i < 10; i += 1) {
    await boundCustomer(t, service, good, { from: `127.0.0.${i}` })
  }
})

test('a bind whose record was deleted or is old is recorded again, and counts', async (t) => {
  const { service } = await smppService(t)
  const credentials = await smppToken(service)
  await boundCustomer(t, service, credentials)
  const bound = async () => {
    const { tokens } = (await service.get('/v1/token/list')).body
    return tokens.find(({ id }: { id: string }) => id === credentials.tokenId).smpp.bound
  }
  const { db } = service.world
  for (const statement of [
    sql`update smpp_binds set seen_at = ${new Date(Date.now() - 60_000)}`,
    sql`delete from smpp_binds`,
  ]) {
    assert.equal(await bound(), 1)
    await db.query(statement)
    await eventually(async () => (await bound()) === 1, 'the bind is recorded again')
  }
})

test('a client that keeps guessing is refused without a check, and a known customer continues', async (t) => {
  const { service } = await smppService(t)
  const good = await smppToken(service)
  const { systemId } = good
  assert.equal(await tryBind(t, service, good), 'ESME_ROK')
  const guesses = await Promise.all(
    Array.from({ length: 14 }, (_, i) => tryBind(t, service, { systemId, password: `no${i}` })),
  )
  assert.equal(guesses.filter((status) => status === 'ESME_RINVPASWD').length, 5)
  assert.equal(guesses.filter((status) => status === 'ESME_RBINDFAIL').length, 9)
  // The address has used its ten attempts, so a new client is refused even with valid credentials.
  assert.equal(await tryBind(t, service, await smppToken(service)), 'ESME_RBINDFAIL')
  assert.equal(await tryBind(t, service, good), 'ESME_ROK')
})

test('a system ID of one campaign or number sends only for it', async (t) => {
  const { service, number, campaignId, message } = await smppService(t)
  const { activeCampaign, buyNumber } = await import('../fixtures.js')
  const otherCampaign = (await activeCampaign(service)).campaignId
  const otherNumber = await buyNumber(service, otherCampaign)

  const ofCampaign = await boundCustomer(
    t,
    service,
    await smppToken(service, { campaign: campaignId }),
  )
  const { id } = await ofCampaign.submit(plain('', VZW, 'By its campaign'))
  assert.equal((await message(id)).from, number)
  const foreign = await ofCampaign.submit(plain(otherNumber, VZW, 'x'))
  assert.equal(foreign.status, 'ESME_RINVSRCADR')

  const ofNumber = await boundCustomer(
    t,
    service,
    await smppToken(service, { number: otherNumber }),
  )
  const said = await ofNumber.submit(plain('', VZW, 'By its number'))
  assert.equal((await message(said.id)).from, otherNumber)
  assert.equal((await ofNumber.submit(plain(number, VZW, 'x'))).status, 'ESME_RINVSRCADR')

  for (const [smpp, status, error] of [
    [{ campaign: 'cmp_1' }, 404, 'Campaign not found'],
    [{ number: '+14155550000' }, 400, 'smpp.number must be a number of your account'],
    [
      { campaign: campaignId, number: otherNumber },
      400,
      'smpp.number must be a number of this campaign',
    ],
  ] as const) {
    const reply = await service.post('/v1/token/create', { smpp })
    assert.deepEqual([reply.status, reply.body.error], [status, error])
  }
})

test('an account has a maximum number of binds, across its system IDs', async (t) => {
  const { service } = await smppService(t, { LONGCODE_SMPP_BINDS: '2' })
  const [one, two] = [await smppToken(service), await smppToken(service)]
  const first = await boundCustomer(t, service, one)
  await boundCustomer(t, service, two)
  assert.equal(await tryBind(t, service, one), 'ESME_RALYBND')
  first.socket.unbind()
  await eventually(async () => first.closed === 'unbound')
  await eventually(async () => (await tryBind(t, service, two)) === 'ESME_ROK')
})

/** Locks rows until the result is called. */
async function lockRows({ world }: TestService, rows: Statement): Promise<() => Promise<void>> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return new Promise((resolve, reject) => {
    const done = world.db.transaction(async (tx) => {
      assert.ok((await tx.query(rows)).length > 0)
      resolve(() => {
        release()
        return done
      })
      await released
    })
    done.catch(reject)
  })
}

/** Resolves when the account had no room for a bind. */
function refusedOnce({ world: { db } }: TestService): Promise<void> {
  const { transaction } = db
  return new Promise((resolve) => {
    db.transaction = async (work, options) => {
      const result = await transaction.call(db, work, options)
      if (result === false) resolve()
      return result as never
    }
  })
}

test('a customer that binds again at once is accepted, although its unbind is recorded late', async (t) => {
  const { service } = await smppService(t, { LONGCODE_SMPP_BINDS: '1' })
  const credentials = await smppToken(service)
  const first = await boundCustomer(t, service, credentials)
  const release = await lockRows(
    service,
    sql`select id from smpp_binds where account_id = ${service.accountId} for update`,
  )
  first.socket.unbind()
  await eventually(async () => first.closed === 'unbound')
  const refused = refusedOnce(service)
  const status = tryBind(t, service, credentials)
  await refused
  await sleep(100) // less than the half second after which the service tries again
  await release()
  assert.equal(await status, 'ESME_ROK')
})

test('an account has a submit rate, and throttled submits may be retried', async (t) => {
  const { service, number } = await smppService(t, { LONGCODE_SMPP_RATE: '1' })
  const customer = await boundCustomer(t, service, await smppToken(service))
  const submit = () => customer.submit(plain(number, VZW, 'Fast'))
  const startMs = performance.now()
  const said = await Promise.all(Array.from({ length: 12 }, submit))
  const throttled = said.filter(({ status }) => status === 'ESME_RTHROTTLED')
  const passedS = (performance.now() - startMs) / 1000
  assert.ok(12 - throttled.length <= 2 + passedS, 'two at once, and one each second')
  assert.ok(throttled.length >= 5, `${throttled.length} of 12`)
  assert.match(throttled[0]!.sentence, /slow down/)
  await eventually(async () => (await submit()).status === 'ESME_ROK')
})

test('a revoked token is unbound, and its queue is cleared', async (t) => {
  const { service, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  const customer = await boundCustomer(t, service, credentials)
  const { status } = await service.call('DELETE', `/v1/token/${credentials.tokenId}`)
  assert.equal(status, 200)
  await eventually(async () => customer.closed === 'peer_unbound', 'the goodbye')
  assert.equal(await tryBind(t, service, credentials), 'ESME_RINVPASWD')
  await eventually(async () => {
    const rows = await service.world.db.query(sql`
      select 1 from event_subscriptions where subscriber_id = ${credentials.tokenId}`)
    return rows.length === 0
  }, 'its subscription gone')
  await inbound(VZW, 'Nobody listens')
})

test('a suspended account is unbound', async (t) => {
  const { service } = await smppService(t)
  const credentials = await smppToken(service)
  const customer = await boundCustomer(t, service, credentials)
  await service.world.db.query(sql`
    update accounts set status = 'SUSPENDED' where account_id = ${service.accountId}`)
  await eventually(async () => customer.closed === 'peer_unbound', 'the goodbye')
  assert.equal(await tryBind(t, service, credentials), 'ESME_RBINDFAIL')
})

test('a delivery that a customer does not accept is retried, and a permanently refused one is not', async (t) => {
  const { service, inbound, advance } = await smppService(t)
  const statuses = [STATUS.ESME_RX_T_APPN.code, STATUS.ESME_RMSGQFUL.code, 0]
  const credentials = await smppToken(service)
  const customer = await boundCustomer(t, service, credentials, {
    answer: ({ body }) =>
      body.shortMessage.toString('latin1').startsWith('Never')
        ? STATUS.ESME_RX_P_APPN.code
        : (statuses.shift() ?? 0),
  })
  await inbound(VZW, 'Again and again')
  await eventually(async () => customer.delivered.length === 1)
  const stateOf = async (state: string) => {
    const rows = await service.world.db.query<{ attempts: number }>(sql`
      select attempts from event_deliveries
      where subscriber_id = ${credentials.tokenId} and state = ${state}`)
    return rows.map(({ attempts }) => attempts)
  }
  for (const attempts of [1, 2]) {
    await eventually(async () => (await stateOf('pending')).includes(attempts))
    await advance(60)
    await eventually(async () => customer.delivered.length === attempts + 1)
  }
  await eventually(async () => (await stateOf('delivered')).includes(3))
  await inbound(VZW, 'Never again')
  await eventually(async () => (await stateOf('failed')).length === 1)
  assert.deepEqual(customer.texts(), [...Array(3).fill('Again and again'), 'Never again'])
})

test('deliveries in progress over a broken bind go over another', async (t) => {
  const { service, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  const silent = await boundCustomer(t, service, credentials, { answer: () => null })
  await inbound(VZW, 'Hello?')
  await eventually(async () => silent.delivered.length === 1)
  const other = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  silent.end()
  await eventually(async () => other.texts().includes('Hello?'))
})

test('a delivery that was claimed for a bind that has ended goes over the next one', async (t) => {
  const { service, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  await boundCustomer(t, service, credentials, { as: 'bind_transmitter' })
  await inbound(VZW, 'Hello?')
  const { db } = service.world
  const ofToken = sql`
    select id from event_deliveries
    where account_id = ${service.accountId} and subscriber_id = ${credentials.tokenId} for update`
  await eventually(async () => (await db.query(ofToken)).length === 1, 'a delivery')
  const release = await lockRows(service, ofToken)
  const first = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  await eventually(async () => (await db.query(WAITING)).length > 0, 'a claim')
  first.end()
  const binds = sql`select id from smpp_binds where bound_as = 'bind_receiver'`
  await eventually(async () => (await db.query(binds)).length === 0, 'the end of the bind')
  await release()
  const second = await boundCustomer(t, service, credentials, { as: 'bind_receiver' })
  await eventually(async () => second.texts().includes('Hello?'))
  assert.deepEqual(first.delivered, [])
})

test('several binds share inbound messages', async (t) => {
  const { service, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  // Neither responds, so each is full after its window.
  const binds = [
    await boundCustomer(t, service, credentials, { answer: () => null }),
    await boundCustomer(t, service, credentials, { answer: () => null }),
  ]
  for (let i = 0; i < 14; i += 1) await inbound(VZW, `Message ${i}`)
  await eventually(async () => binds.flatMap((bind) => bind.texts()).length === 14)
  assert.ok(binds.every((bind) => bind.delivered.length >= 4))
})

/** Another process would share nothing with the first but the database. */
async function secondServer(t: TestContext, { world }: TestService): Promise<SmppServer> {
  const config = { ...world.config.smppServer!, port: 0 }
  const second = await startSmppServer(world, config, async () => new Refusal('not_ready'))
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await second.stop()
    isStopped = true
  }
  t.after(stop)
  return { ...second, stop }
}

test('binds to several processes share events and limits', async (t) => {
  const { service, number, inbound } = await smppService(t, { LONGCODE_SMPP_BINDS: '2' })
  const credentials = await smppToken(service)
  const { port: smppPort } = await secondServer(t, service)
  const sender = await boundCustomer(t, service, credentials, { as: 'bind_transmitter' })
  const receiver = await boundCustomer(t, { ...service, smppPort }, credentials, {
    as: 'bind_receiver',
  })
  assert.equal(await tryBind(t, service, credentials), 'ESME_RALYBND')
  const { id } = await sender.submit(plain(number, VZW, 'Here and there'))
  await inbound(VZW, 'And back')
  await eventually(async () => receiver.delivered.length === 2)
  assert.deepEqual(receiver.receipts(), [{ id, state: 'DELIVERED', error: '000' }])
  assert.deepEqual(receiver.texts(), ['And back'])
})

test('a stop unbinds in order, and deliveries in progress wait for another bind', async (t) => {
  const { service, inbound } = await smppService(t)
  const credentials = await smppToken(service)
  const second = await secondServer(t, service)
  const silent = await boundCustomer(t, { ...service, smppPort: second.port }, credentials, {
    answer: () => null,
  })
  await inbound(VZW, 'Hello?')
  await eventually(async () => silent.delivered.length === 1)
  const idle = await Customer.connect(second.port)
  t.after(() => idle.end())
  assert.equal(await idle.bind(credentials, 'bind_transmitter'), 'ESME_ROK')
  await second.stop()
  assert.equal(idle.closed, 'peer_unbound')
  await eventually(async () => silent.closed !== null)
  const other = await boundCustomer(t, service, credentials)
  await eventually(async () => other.texts().includes('Hello?'))
})

function randomOf(start: number): () => number {
  let seed = start
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return seed >> 8
  }
}

function sarTlvs(total: number, sequence: number) {
  return [
    makeStandardTlv('sarMsgRefNum', 9),
    makeStandardTlv('sarTotalSegments', total),
    makeStandardTlv('sarSegmentSeqnum', sequence),
  ]
}

test('bytes that are not SMPP close their own connection and no other', async (t) => {
  const { service, number } = await smppService(t)
  const customer = await boundCustomer(t, service, await smppToken(service))
  const random = randomOf(42)
  for (let i = 0; i < 60; i += 1) {
    const socket = connect({ host: '127.0.0.1', port: service.smppPort! })
    socket.on('error', () => {})
    await once(socket, 'connect')
    const bytes = Buffer.from(Array.from({ length: random() % 400 }, () => random() & 0xff))
    // Half of them have a plausible header, with all commands.
    if (i % 2 === 0 && bytes.length >= 16) {
      bytes.writeUInt32BE(bytes.length, 0)
      bytes.writeUInt32BE([1, 2, 4, 5, 9, 0x15, 0x103][i % 7]!, 4)
    }
    socket.end(bytes)
    socket.resume()
    await once(socket, 'close')
  }
  assert.equal((await customer.submit(plain(number, VZW, 'Still here'))).status, 'ESME_ROK')
})

test('a bound customer who sends broken PDUs gets a response or is cut off, and others are not affected', async (t) => {
  const { service, number } = await smppService(t, { LONGCODE_SMPP_BINDS: '100' })
  const customer = await boundCustomer(t, service, await smppToken(service))
  const { systemId, password } = await smppToken(service)
  const random = randomOf(7)
  const frame = encodePdu(makePdu('submit_sm', 5, plain(number, VZW, 'Hello there'), sarTlvs(2, 1)))
  for (let round = 0; round < 12; round += 1) {
    const socket = connect({ host: '127.0.0.1', port: service.smppPort! })
    socket.on('error', () => {})
    socket.resume()
    const closed = once(socket, 'close')
    socket.write(encodePdu(makePdu('bind_transceiver', 1, { systemId, password })))
    await once(socket, 'data')
    for (let i = 0; i < 60 && !socket.destroyed; i += 1) {
      const broken = Buffer.from(frame)
      // Its length stays, or everything after it would be noise.
      for (let hits = 1 + (random() % 4); hits > 0; hits -= 1) {
        broken[4 + (random() % (broken.length - 4))] = random() & 0xff
      }
      socket.write(broken)
    }
    socket.end()
    await closed
  }
  assert.equal((await customer.submit(plain(number, VZW, 'Still here'))).status, 'ESME_ROK')
})

test('a port in use stops the start with one line', async (t) => {
  const { service } = await smppService(t)
  const config = { ...service.world.config, smppServer: { ...service.world.config.smppServer! } }
  config.smppServer.port = service.smppPort!
  await assert.rejects(
    startService(config, service.databaseUrl, service.world.log),
    /^Error: Cannot listen for SMPP on 127\.0\.0\.1:\d+ \(EADDRINUSE\)\. Check LONGCODE_SMPP_HOST/,
  )
})

test('with a certificate the server speaks only TLS', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'longcode-smpp-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { cert, key } = selfSigned('smpp.test')
  writeFileSync(path.join(folder, 'cert.pem'), cert)
  writeFileSync(path.join(folder, 'key.pem'), key)
  const { service, number } = await smppService(t, {
    LONGCODE_SMPP_TLS_CERT: path.join(folder, 'cert.pem'),
    LONGCODE_SMPP_TLS_KEY: path.join(folder, 'key.pem'),
  })
  const credentials = await smppToken(service)
  const tls = { ca: cert, servername: 'smpp.test' }
  const customer = await Customer.connect(service.smppPort!, { tls })
  t.after(() => customer.end())
  assert.equal(await customer.bind(credentials), 'ESME_ROK')
  assert.equal((await customer.submit(plain(number, VZW, 'Secretly'))).status, 'ESME_ROK')
  assert.equal(await tryBind(t, service, credentials), 'closed')
})

test('without TLS the server listens to other hosts only if configured', () => {
  const env = { LONGCODE_SMPP_PORT: '2775', HOST: '0.0.0.0' }
  assert.throws(() => readConfig(env), /LONGCODE_SMPP_HOST=0\.0\.0\.0 is open to others/)
  assert.equal(readConfig({ ...env, LONGCODE_SMPP_PLAINTEXT: 'true' }).smppServer?.host, '0.0.0.0')
  assert.equal(readConfig({ ...env, LONGCODE_SMPP_HOST: '127.0.0.1' }).smppServer?.port, 2775)
  assert.equal(readConfig({}).smppServer, null)
  assert.equal(readConfig({ ...env, LONGCODE_SMPP_PORT: 'off' }).smppServer, null)
  const odd = { ...env, LONGCODE_SMPP_PORT: 'none' }
  assert.throws(() => readConfig(odd), /must be a port from 0 to 65535, or off, not "none"/)
  const cert = { ...env, LONGCODE_SMPP_TLS_CERT: '/nowhere.pem' }
  assert.throws(() => readConfig(cert), /go together/)
  const both = { ...cert, LONGCODE_SMPP_TLS_KEY: '/nowhere.pem' }
  assert.throws(() => readConfig(both), /LONGCODE_SMPP_TLS_CERT=\/nowhere\.pem cannot be read/)
})
