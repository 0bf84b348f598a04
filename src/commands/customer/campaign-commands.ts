// `longcode campaign list|show|create|submit`: the campaigns of an account.

import type { Command } from 'commander'
import { action, collect, examples, groupOf } from '../command.js'
import { UsageFailure } from '../failure.js'
import type { Output } from '../output.js'
import { type ClientOptions, createServiceClient, withService } from '../service-client.js'
import {
  type ApiRecord,
  type ListOptions,
  pathTo,
  readList,
  showList,
  showRecord,
} from './records.js'

const SAMPLES_MAX = 5

interface CampaignWarning {
  field: string
  problem: string
  remedy: string
}

interface CreateOptions extends ClientOptions {
  brand: string
  usecase: string
  description: string
  consentFlow: string
  displayName?: string
  subUsecases?: string
  sample?: string[]
  screenshotUrl?: string
  lowVolume?: true
  optinKeywords?: string
  optoutKeywords?: string
  helpKeywords?: string
  optinMessage?: string
  optoutMessage?: string
  helpMessage?: string
  check?: true
}

export function addCampaignCommands(program: Command): void {
  const campaign = groupOf(program, 'campaign', 'your campaigns, and the review queue and limits')
  withService(campaign.command('list'))
    .description('list your campaigns')
    .option('--status <status>', 'DRAFT, PENDING, ACTIVE, SUSPENDED, or ENDED')
    .option('--search <text>', 'part of the name')
    .option('--brand <id>', 'only this brand')
    .option('--limit <count>', 'maximum number of rows', '100')
    .addHelpText('after', examples('campaign list', 'campaign list --brand brd_01… --json'))
    .action(action(list))

  withService(campaign.command('show <id>'))
    .description('show one of your campaigns, with its limits and the reviewer’s notes')
    .action(
      action((out, id: string, options: ClientOptions) =>
        showRecord(out, options, pathTo('campaign', id), 'campaign'),
      ),
    )
  addCreate(campaign)

  withService(campaign.command('submit <id>'))
    .description('submit a draft or returned campaign for review')
    .action(
      action(async (out, id: string, options: ClientOptions) => {
        const path = pathTo('campaign', id, 'submit')
        showCreated(out, await createServiceClient(options).call('POST', path))
      }),
    )
}

function addCreate(campaign: Command): void {
  withService(campaign.command('create'))
    .description('create a campaign and submit it for review (the account pays the fee)')
    .requiredOption('--brand <id>', 'brand that it belongs to')
    .requiredOption('--usecase <name>', 'such as CUSTOMER_CARE, MARKETING, or 2FA')
    .requiredOption('--description <text>', 'what it sends, and why')
    .requiredOption('--consent-flow <text>', 'how recipients consent')
    .option('--display-name <name>', 'name in lists')
    .option('--sub-usecases <names>', 'of a MIXED campaign, separated by commas')
    .option('--sample <text>', 'sample message (repeatable, up to 5)', collect)
    .option('--screenshot-url <url>', 'picture of the opt-in form')
    .option('--low-volume', 'register as low volume')
    .option('--optin-keywords <words>', 'separated by commas')
    .option('--optout-keywords <words>', 'separated by commas')
    .option('--help-keywords <words>', 'separated by commas')
    .option('--optin-message <text>', 'reply to an opt-in')
    .option('--optout-message <text>', 'reply to an opt-out')
    .option('--help-message <text>', 'reply to HELP')
    .option('--check', 'only check the fields: creates nothing, charges nothing')
    .addHelpText('after', examples(CREATE_EXAMPLE))
    .action(action(create))
}

const CREATE_EXAMPLE = `campaign create --brand brd_01… --usecase CUSTOMER_CARE --description "Replies to questions of guests" \\
      --consent-flow "Guests text us first" --sample "Acme Coffee: we open at 7 AM. Reply STOP to opt out." --check`

async function list(
  out: Output,
  options: ListOptions & { status?: string; search?: string; brand?: string },
): Promise<void> {
  const { status, search, brand } = options
  await showList(out, options, {
    path: '/v1/campaign/list',
    field: 'campaigns',
    columns: ['id', 'status', 'displayName', 'usecase', 'brandId', 'createdAt'],
    query: { status, search, brand },
  })
}

async function create(out: Output, options: CreateOptions): Promise<void> {
  const { url, token, check, brand, sample = [], lowVolume, ...rest } = options
  if (sample.length > SAMPLES_MAX) throw new UsageFailure('Use --sample at most five times.')
  const { subUsecases, optinKeywords, optoutKeywords, helpKeywords, ...texts } = rest
  const lists = { subUsecases, optinKeywords, optoutKeywords, helpKeywords }
  const body = {
    brandId: brand,
    ...texts,
    ...(lowVolume && { isLowVolume: true }),
    ...Object.fromEntries(sample.map((text, i) => [`sample${i + 1}`, text])),
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([name, text]) => (text ? [[name, readList(text)]] : [])),
    ),
  }
  const client = createServiceClient({ ...(url && { url }), ...(token && { token }) })
  if (!check) return showCreated(out, await client.call('POST', '/v1/campaign/create', body))
  const reply = await client.call('POST', '/v1/campaign/check', body)
  out.json(reply)
  sayWarnings(out, reply)
  out.say('All fields are valid. Nothing was created.')
}

function showCreated(out: Output, reply: ApiRecord): void {
  const campaign = reply.campaign as ApiRecord
  out.json(campaign)
  sayWarnings(out, reply)
  out.say(`${campaign.id} is ${campaign.status}.`)
}

/** What a reviewer may object to. It does not stop the submission. */
function sayWarnings(out: Output, { warnings }: ApiRecord): void {
  for (const warning of (warnings as CampaignWarning[] | undefined) ?? []) {
    out.note(`Warning: ${warning.field} ${warning.problem}. ${warning.remedy}`)
  }
}
