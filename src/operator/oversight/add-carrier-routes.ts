// Sets up a carrier link over HTTP, for the operator console, with the same steps as `longcode carrier add`.

import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import {
  PROVIDERS_WITH_SETUP,
  type ProviderWithSetup,
  providerWithSetup,
} from '../../carriers/providers/providers.js'
import { addLink, type SetupDeps } from '../../carriers/setup/add-link.js'
import { SetupRefusal, type SetupReport, type SetupRequest } from '../../carriers/setup/setup.js'
import { awaitCallback } from '../../carriers/setup/test-message.js'
import { fieldRefusal } from '../../kit/contract/refusal.js'
import { readVariables } from '../../kit/settings/environment.js'
import { trimSlashes } from '../../kit/settings/trim-slashes.js'
import type { World } from '../../kit/world.js'
import { actorOf } from '../operator-token.js'
import { recordAdd, reloadStep } from './add-carrier.js'
import { ADD_CARRIER, type AddCarrierBody, LIST_PROVIDERS } from './add-carrier-operation.js'
import { awaitReload, requestReload } from './reload-carriers.js'

const REQUEST_MS = 10_000
const RELOAD_MS_MAX = 10_000
const RECEIPT_MS = 20_000

type Body = Static<typeof AddCarrierBody>

export const operatorAddCarrierRoutes: FastifyPluginAsyncTypebox<World> = async (app, world) => {
  const { db, clock } = world
  const inTurn = oneAtATime()
  app.get('/carrier/providers', LIST_PROVIDERS, async () => ({
    success: true as const,
    providers: PROVIDERS_WITH_SETUP.map(describeProvider),
  }))
  app.post('/carrier/add', ADD_CARRIER, async (request) => {
    const { body } = request
    const actor = actorOf(request)
    // Everything except the test message can be repeated. With a used idempotency key, it is skipped.
    const mark = randomUUID()
    const first = await request.once(async () => ({ mark }))
    const isRepeat = first.mark !== mark
    const reload = async () => {
      const { id } = await db.transaction((tx) => requestReload(tx, actor, clock))
      return reloadStep(await awaitReload(world, id, RELOAD_MS_MAX))
    }
    const report = await inTurn(() => setUp(world, body, { reload, isRepeat }))
    if (!body.dryRun) await db.transaction((tx) => recordAdd(tx, actor, report, clock.now()))
    const isSetUp = report.steps.every(({ state }) => state !== 'failed')
    return { success: true as const, isSetUp, ...report }
  })
}

function describeProvider({ name: kind, title, setup }: ProviderWithSetup) {
  const { about, container, hasRegistration } = setup
  const fields = setup.fields.flatMap(({ name, form, isSecret = false, isRequired = false }) =>
    form ? [{ name, ...form, isSecret, isRequired }] : [],
  )
  return { kind, title, about, container, hasRegistration, fields }
}

async function setUp(
  world: World,
  body: Body,
  { reload, isRepeat }: { reload: SetupDeps['reload']; isRepeat: boolean },
): Promise<SetupReport> {
  const { carriersFile: file, allowsSimulator, publicUrl, mode, webhookAllow: allow } = world.config
  const { testTo, testFrom = null } = body
  const isTested = testTo !== undefined && !isRepeat
  try {
    return await addLink(requestOf(body, publicUrl), {
      source: { file, isSet: true, publicUrl, allowsSimulator, variable: readVariables() },
      // The client is not at the machine, so private addresses work only if the settings allow them.
      reach: { timeoutMs: REQUEST_MS, allowPrivate: mode === 'sandbox', allow },
      reload,
      test: isTested ? { to: testTo, from: testFrom, waitMs: RECEIPT_MS } : null,
      hasCalled: (call) => awaitCallback(world, call),
    })
  } catch (error) {
    if (!(error instanceof SetupRefusal)) throw error
    const isOwn = Object.hasOwn(body.fields, error.field)
    const field = isOwn ? `fields.${error.field}` : error.field
    throw fieldRefusal(field, error.message, error.message)
  }
}

function requestOf(body: Body, usual: string): SetupRequest {
  const { kind, name = kind, fields, campaign = null, number = null, monthlyPrice = null } = body
  const filled = Object.entries(fields).filter(([, value]) => value !== '')
  return {
    ...{ provider: providerWithSetup(kind), name, campaign, number, monthlyPrice },
    registration: body.registration
      ? {
          vertical: body.registration.vertical ?? null,
          isMock: body.registration.mock ?? false,
        }
      : null,
    fields: Object.fromEntries(
      filled.map(([field, value]) => [field, { value: String(value), variable: null }]),
    ),
    publicUrl: trimSlashes(body.publicUrl ?? usual),
    isDryRun: body.dryRun ?? false,
  }
}

/** Two concurrent setups would both create the same name. */
function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}
