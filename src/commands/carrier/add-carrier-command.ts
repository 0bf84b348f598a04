// `longcode carrier add telnyx|bandwidth|twilio`: asks for missing values, sets up the link, and lists what is left to do.

import path from 'node:path'
import { type Command, Option } from 'commander'
import type { SetupField } from '../../carriers/providers/provisioning.js'
import type { SetupDeps } from '../../carriers/setup/add-link.js'
import type { LinkFileSource } from '../../carriers/setup/link-file.js'
import type { SetupReport, SetupRequest, SetupStep } from '../../carriers/setup/setup.js'
import { trimSlashes } from '../../kit/settings/trim-slashes.js'
import { isE164 } from '../../text/phone-number.js'
import { action, examples, readWhole } from '../command.js'
import { CommandFailure, UsageFailure } from '../failure.js'
import type { Output } from '../output.js'
import { type Asker, createAsker } from './ask.js'
import { askField, askPhone } from './ask-setup.js'
import { lookForCall, tellService } from './running-service.js'

interface AddOptions {
  name?: string
  file?: string
  publicUrl?: string
  campaign?: string
  number?: string
  monthlyPrice?: string
  registration?: boolean
  vertical?: string
  mockRegistration?: boolean
  testTo?: string
  testFrom?: string
  wait: string
  timeout: string
  dryRun?: boolean
  input: boolean
  /** Fields of a provider, except secrets. */
  [field: string]: string | boolean | undefined
}

const AFTER = `
Secrets come from a hidden prompt or from the environment: TELNYX_KEY; BANDWIDTH_PASSWORD,
BANDWIDTH_CALLBACK_PASSWORD; TWILIO_AUTH_TOKEN, TWILIO_API_SECRET. The file then refers to the variable by name.
Other values can come from the environment, too (TWILIO_ACCOUNT_SID …). Running it again changes only what differs.
It lists what is still missing and what to do. Exit code 1 if a step failed.`

export function addAddCarrierCommand(carrier: Command): void {
  const command = carrier
    .command('add <provider>')
    .description('set up a link to telnyx, bandwidth, or twilio, including a test message')
    .option('--name <name>', 'name of the link (default: name of the provider)')
    .option('--file <file>', 'carriers file (default: LONGCODE_CARRIERS)')
    .option('--public-url <url>', 'public URL of the service (default: LONGCODE_PUBLIC_URL)')
    .option(
      '--campaign <id>',
      'create a separate profile, application, or service for this campaign',
    )
    .option('--number <number>', 'assign this number of your provider account to it')
    .option('--monthly-price <dollars>', 'sell its numbers to customers at this monthly price')
    .option('--registration', 'register brands and campaigns through the link (telnyx)')
    .option('--vertical <industry>', 'with --registration: industry of brands without one')
    .option('--mock-registration', 'the same, but free: nothing reaches the mobile networks')
    .option('--test-to <number>', 'send a test message to this phone and wait for its receipt')
    .option('--test-from <number>', 'number of your provider account to send it from')
    .option('--wait <seconds>', 'how long to wait for the receipt', '60')
    .option('--timeout <seconds>', 'timeout of each request', '15')
    .option('--dry-run', 'check everything and show what would be done, without changing anything')
    .option('--no-input', 'never prompt')
  command
    .addHelpText(
      'after',
      `${examples(
        'carrier add telnyx',
        'carrier add twilio --dry-run',
        'carrier add telnyx --number +14155550123 --test-to +14155550199',
        'carrier add telnyx --monthly-price 1 --registration',
      )}\n${AFTER}`,
    )
    .action(action(addCarrier))
  // Only this command loads the providers, which are a megabyte of code.
  carrier.hook('preSubcommand', async (_, chosen) => {
    if (chosen === command) await addFieldOptions(command)
  })
}

async function addFieldOptions(command: Command): Promise<void> {
  for (const [flag, kinds, { question }] of await fieldFlags()) {
    command.addOption(new Option(`${flag} <value>`, `${question} (${kinds.join(', ')})`))
  }
}

const flagOf = (name: string) => `--${name.replaceAll(/[A-Z]/g, (big) => `-${big.toLowerCase()}`)}`

/** One for each field that is not a secret, with the providers that use it. */
async function fieldFlags(): Promise<[string, string[], SetupField][]> {
  const { PROVIDERS_WITH_SETUP } = await import('../../carriers/providers/providers.js')
  const flags = new Map<string, [string, string[], SetupField]>()
  for (const { name: kind, setup } of PROVIDERS_WITH_SETUP) {
    for (const field of setup.fields) {
      // `key` is a plain field at Twilio but a secret at Telnyx, where it must not be a flag.
      if (field.isSecret) continue
      const flag = flags.get(field.name)
      if (flag) flag[1].push(kind)
      else flags.set(field.name, [flagOf(field.name), [kind], field])
    }
  }
  return [...flags.values()]
}

async function addCarrier(out: Output, provider: string, options: AddOptions): Promise<void> {
  const { readCarrierChoice } = await import('../../kit/config.js')
  const { readVariables } = await import('../../kit/settings/environment.js')
  const choice = readCarrierChoice()
  const variable = readVariables()
  const file = options.file === undefined ? choice.carriersFile : path.resolve(options.file)
  const { allowsSimulator, publicUrl, carriersFile } = choice
  const isSet = file === null || file === carriersFile
  const source = { file, isSet, publicUrl, allowsSimulator, variable }
  const request = readRequest(await readProvider(provider), options, source)
  const asker = options.input && process.stdin.isTTY ? createAsker() : null
  try {
    const completed = await complete(request, options, source, asker)
    const report = await setUp(out, completed, options)
    conclude(out, report)
  } finally {
    asker?.close()
  }
}

async function readProvider(text: string): Promise<SetupRequest['provider']> {
  const { PROVIDERS_WITH_SETUP } = await import('../../carriers/providers/providers.js')
  const found = PROVIDERS_WITH_SETUP.find(({ name }) => name === text)
  if (found) return found
  const names = PROVIDERS_WITH_SETUP.map(({ name }) => name).join(', ')
  throw new UsageFailure(`The provider must be one of ${names}, not "${text}".`)
}

/** From the options and the environment. */
function readRequest(
  provider: SetupRequest['provider'],
  options: AddOptions,
  source: LinkFileSource,
): SetupRequest {
  const fields: Record<string, { value: string; variable: string | null }> = {}
  for (const { name, variable, isSecret } of provider.setup.fields) {
    const flag = isSecret ? undefined : options[name]
    const value = typeof flag === 'string' ? flag : source.variable(variable)
    if (value) fields[name] = { value, variable: typeof flag === 'string' ? null : variable }
  }
  const { campaign = null, number = null, name = provider.name } = options
  const publicUrl = trimSlashes(options.publicUrl ?? source.publicUrl)
  const monthlyPrice = readPrice(options.monthlyPrice)
  return {
    ...{ provider, name, fields, publicUrl, campaign, number, monthlyPrice },
    registration: readRegistration(options),
    isDryRun: options.dryRun === true,
  }
}

function readRegistration(options: AddOptions): SetupRequest['registration'] {
  const { registration, vertical, mockRegistration } = options
  if (!registration && !mockRegistration) {
    if (vertical === undefined) return null
    throw new UsageFailure('--vertical requires --registration.')
  }
  return { vertical: vertical ?? null, isMock: mockRegistration === true }
}

function readPrice(text: string | undefined): number | null {
  if (text === undefined) return null
  const price = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && price <= 1000) return price
  throw new UsageFailure(
    `--monthly-price must be an amount in dollars from 0 to 1000, not "${text}".`,
  )
}

interface CompleteRequest {
  request: SetupRequest
  source: LinkFileSource
  testTo: string | null
}

/** Prompts for missing values. Without a terminal, lists all of them in one error. */
async function complete(
  request: SetupRequest,
  options: AddOptions,
  source: LinkFileSource,
  asker: Asker | null,
): Promise<CompleteRequest> {
  const { publicUrlProblem } = await import('../../carriers/setup/check-request.js')
  if (options.publicUrl !== undefined) {
    const problem = publicUrlProblem(options.publicUrl)
    if (problem !== null) throw new UsageFailure(`--public-url ${options.publicUrl} ${problem}.`)
  }
  const testTo = options.testTo ?? null
  for (const [flag, number] of [
    ['--test-to', testTo],
    ['--test-from', options.testFrom ?? null],
  ]) {
    if (typeof number === 'string' && !isE164(number)) {
      throw new UsageFailure(
        `${flag} must be a phone number such as +14155550123, not "${number}".`,
      )
    }
  }
  if (asker) return askForRest({ request, source, testTo }, asker)
  const missing = await listMissing(request, source)
  if (missing.length === 0) return { request, source, testTo }
  throw new UsageFailure(`Missing: ${missing.map(howToGive).join('; ')}.`)
}

async function listMissing(request: SetupRequest, source: LinkFileSource): Promise<SetupField[]> {
  const { missingFields } = await import('../../carriers/setup/check-request.js')
  const { readLinkFile } = await import('../../carriers/setup/link-file.js')
  return refusing(async () => missingFields(request, readLinkFile(source, request)))
}

const howToGive = ({ name, variable, isSecret }: SetupField) =>
  isSecret ? `set ${variable}` : `use ${flagOf(name)} or set ${variable}`

async function askForRest(
  { request, source, testTo }: CompleteRequest,
  asker: Asker,
): Promise<CompleteRequest> {
  const { publicUrlProblem } = await import('../../carriers/setup/check-request.js')
  const place = { ...source }
  if (place.file === null) {
    const file = (await asker.ask('Carriers file (carriers.yaml)')) || 'carriers.yaml'
    Object.assign(place, { file: path.resolve(file), isSet: false })
  }
  const fields = { ...request.fields }
  for (const field of await listMissing(request, place)) {
    fields[field.name] = { value: await askField(field, asker), variable: null }
  }
  let { publicUrl } = request
  while (publicUrl === null || publicUrlProblem(publicUrl) !== null) {
    const text = 'Public https URL of the service (leave empty if it has none yet)'
    const answer = trimSlashes(await asker.ask(text))
    if (answer === '') break
    publicUrl = answer
  }
  const phone = testTo ?? (request.isDryRun ? null : await askPhone(asker))
  return { request: { ...request, fields, publicUrl }, source: place, testTo: phone }
}

async function setUp(
  out: Output,
  { request, source, testTo }: CompleteRequest,
  options: AddOptions,
): Promise<SetupReport> {
  const { addLink } = await import('../../carriers/setup/add-link.js')
  const timeoutMs = readWhole('--timeout', options.timeout, 1, 120) * 1000
  const waitMs = readWhole('--wait', options.wait, 0, 3_600) * 1000
  const progress = out.progress('Waiting for the receipt, seconds', null)
  let isWaiting = false
  const deps: SetupDeps = {
    source,
    reach: { timeoutMs, allowPrivate: true }, // the person at the terminal chooses the address
    onStep: (step) => {
      if (isWaiting) progress.end()
      out.say(stepLine(step))
    },
    reload: (report) => tellService(out, report),
    hasCalled: (call) => lookForCall(out, call),
    test:
      testTo === null
        ? null
        : {
            ...{ to: testTo, from: options.testFrom ?? null, waitMs },
            onWait: (_, waitedMs) => {
              isWaiting = true
              progress.to(Math.round(waitedMs / 1000))
            },
          },
  }
  return refusing(() => addLink(request, deps))
}

const SIGNS = { done: 'ok', same: 'ok', planned: 'plan', skipped: 'note', failed: 'FAIL' } as const

const stepLine = ({ step, state, text }: SetupStep) =>
  `${SIGNS[state].padEnd(4)}  ${step.padEnd(9)}  ${text}`

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  const { SetupRefusal } = await import('../../carriers/setup/setup.js')
  try {
    return await work()
  } catch (error) {
    if (error instanceof SetupRefusal) throw new UsageFailure(error.message)
    throw error
  }
}

function conclude(out: Output, report: SetupReport): void {
  const { link, steps, missing, yaml } = report
  out.json(report)
  if (yaml !== null) out.say(`\n${yaml.trimEnd()}`)
  if (missing.length > 0) out.say('\nStill missing:')
  for (const { text, remedy } of missing) out.say(`- ${text}\n  → ${remedy}`)
  const failed = steps.find(({ state }) => state === 'failed')
  if (!failed) {
    if (missing.length === 0) out.say(`\n${link} is set up. Nothing is missing.`)
    return
  }
  const head =
    failed.step === 'test' ? `${link} is set up, but the test failed` : `${link} is not set up`
  throw new CommandFailure(`${head}: ${failed.text}`, 'setup_failed')
}
