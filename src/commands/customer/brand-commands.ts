// `longcode brand list|show|create|submit`: the brands of an account.

import type { Command } from 'commander'
import { action, examples, groupOf } from '../command.js'
import type { Output } from '../output.js'
import { type ClientOptions, createServiceClient, withService } from '../service-client.js'
import { type ApiRecord, type ListOptions, pathTo, showList, showRecord } from './records.js'

type BrandOptions = ClientOptions & Record<string, string>

/** Fields of the API and their options. A test compares them with openapi.json. */
const REQUIRED = [
  [
    '--entity-type <type>',
    'SOLE_PROPRIETOR, PRIVATE_PROFIT, PUBLIC_PROFIT, NON_PROFIT, or GOVERNMENT',
  ],
  ['--entity-name <name>', 'registered legal name'],
  ['--ein <number>', 'EIN of the legal entity, such as 12-3456789'],
  ['--website <url>', 'such as https://acme.example'],
  ['--street <text>', 'street and number, as in the tax records'],
  ['--city <name>', 'city'],
  ['--state <code>', 'two-letter code, or the name'],
  ['--postal-code <digits>', 'five digits'],
  ['--country <code>', 'two letters, such as US'],
  ['--first-name <name>', 'of the contact person'],
  ['--last-name <name>', 'of the contact person'],
  ['--email <address>', 'of the contact person'],
  ['--phone <number>', 'of the contact person, such as +14155550123'],
] as const
const OPTIONAL = [
  ['--display-name <name>', 'brand name that recipients know'],
  ['--privacy-link <url>', 'privacy policy'],
  ['--terms-link <url>', 'terms of service'],
  ['--vertical <name>', 'industry'],
] as const

export function addBrandCommands(program: Command): void {
  const brand = groupOf(program, 'brand', 'your brands, and the review queue')
  withService(brand.command('list'))
    .description('list your brands')
    .option('--status <status>', 'DRAFT, PENDING, VERIFIED, UNVERIFIED, or VETTED')
    .option('--search <text>', 'part of the name')
    .option('--limit <count>', 'maximum number of rows', '100')
    .addHelpText('after', examples('brand list', 'brand list --status UNVERIFIED --json'))
    .action(action(list))

  withService(brand.command('show <id>'))
    .description('show one of your brands, with the reviewer’s notes')
    .action(
      action((out, id: string, options: ClientOptions) =>
        showRecord(out, options, pathTo('brand', id), 'brand'),
      ),
    )

  const create = withService(brand.command('create')).description('register a brand')
  for (const [flags, description] of REQUIRED) create.requiredOption(flags, description)
  for (const [flags, description] of OPTIONAL) create.option(flags, description)
  create.addHelpText('after', examples(CREATE_EXAMPLE)).action(action(createBrand))

  withService(brand.command('submit <id>'))
    .description('submit a draft or corrected brand for review')
    .action(
      action(async (out, id: string, options: ClientOptions) => {
        const reply = await createServiceClient(options).call('POST', pathTo('brand', id, 'submit'))
        sayBrand(out, reply.brand as ApiRecord)
      }),
    )
}

const CREATE_EXAMPLE = `brand create --entity-type PRIVATE_PROFIT --entity-name "Acme Coffee LLC" --ein 12-3456789 \\
      --website https://acme.example --street "1 Market St" --city "San Francisco" --state CA --postal-code 94105 \\
      --country US --first-name Ana --last-name Diaz --email ana@acme.example --phone +14155550123`

async function list(
  out: Output,
  options: ListOptions & { status?: string; search?: string },
): Promise<void> {
  const { status, search } = options
  await showList(out, options, {
    path: '/v1/brand/list',
    field: 'brands',
    columns: ['id', 'status', 'displayName', 'entityName', 'ein', 'createdAt'],
    query: { status, search },
  })
}

async function createBrand(out: Output, { url, token, ...fields }: BrandOptions): Promise<void> {
  const client = createServiceClient({ ...(url && { url }), ...(token && { token }) })
  const reply = await client.call('POST', '/v1/brand/create', fields)
  sayBrand(out, reply.brand as ApiRecord)
}

function sayBrand(out: Output, brand: ApiRecord): void {
  out.json(brand)
  out.say(`${brand.id} is ${brand.status}.`)
}
