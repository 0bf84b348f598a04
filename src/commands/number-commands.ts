// `longcode number …`: a customer's numbers over HTTP, and the operator's inventory in the database.

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Config } from '../kit/config.js'
import { plural } from '../text/plural.js'
import { action, examples, operate, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'
import { type ClientOptions, createServiceClient, withService } from './service-client.js'

export function addNumberCommands(program: Command): void {
  const number = program
    .command('number')
    .description('phone numbers: buy and release, and the inventory for sale')
  addCustomerCommands(number)
  addInventoryCommands(number)
}

function addCustomerCommands(number: Command): void {
  withService(number.command('search'))
    .description('search for numbers to buy')
    .option('--area-code <digits>', 'such as 415 (default: any)')
    .option('--limit <count>', 'maximum number of rows', '10')
    .addHelpText('after', examples('number search --area-code 415'))
    .action(action(search))

  withService(number.command('buy <number>'))
    .description('buy a number for a campaign')
    .requiredOption('--campaign <id>', 'campaign for the number')
    .addHelpText('after', examples('number buy +14152004000 --campaign cmp_01…'))
    .action(
      action(async (out, phoneNumber: string, options: ClientOptions & { campaign: string }) => {
        const body = { number: phoneNumber, campaign: options.campaign }
        const answer = await createServiceClient(options).call('POST', '/v1/number/buy', body)
        out.json(answer.number)
        out.say(`Bought ${phoneNumber} for ${options.campaign}.`)
      }),
    )

  withService(number.command('list'))
    .description('list the numbers of all campaigns')
    .option('--limit <count>', 'maximum number of rows', '100')
    .action(action(list))

  withService(number.command('release <number>'))
    .description('release a number')
    .action(
      action(async (out, phoneNumber: string, options: ClientOptions) => {
        const route = `/v1/number/${encodeURIComponent(phoneNumber)}`
        const answer = await createServiceClient(options).call('DELETE', route)
        out.json(answer)
        out.say(`Released ${phoneNumber}.`)
      }),
    )
}

function addInventoryCommands(number: Command): void {
  number
    .command('import <file>')
    .description('put numbers from a CSV file up for sale, all or none (operator)')
    .option('--skip-existing', 'skip numbers that are already for sale')
    .addHelpText(
      'after',
      `${examples('number import numbers.csv', 'number import - < numbers.csv')}

The first line names the columns: number (E.164) and monthlyPrice (dollars), and optionally location and
hosts (carrier links that can send from the number, separated by spaces).`,
    )
    .action(action(importFile))

  number
    .command('withdraw <numbers...>')
    .description('remove numbers from sale, all or none (operator)')
    .addHelpText('after', examples('number withdraw +14152004000 +14152004001'))
    .action(
      action(async (out, numbers: string[]) => {
        const { withdrawNumbers } = await import('../operator/oversight/stock-numbers.js')
        const count = await operate(out, ({ act }) =>
          act((tx, actor, now) => withdrawNumbers(tx, actor, numbers, now)),
        )
        out.json({ withdrawn: count })
        out.say(`Withdrew ${plural(count, 'number')}.`)
      }),
    )

  number
    .command('hosts <numbers...>')
    .description('set which carrier links can send from numbers in your inventory (operator)')
    .requiredOption('--links <names>', 'link names, separated by commas; "" for none')
    .addHelpText(
      'after',
      `${examples('number hosts +14152004000 --links acme-east,acme-west')}\n\nThe provider hosts numbers bought from it. \`longcode doctor\` lists numbers that no link can send from.`,
    )
    .action(action(stateHostsOf))

  number
    .command('clear-refusal <number>')
    .description('use a number again that its carrier refused as a sender (operator)')
    .addHelpText('after', examples('number clear-refusal +14152004000'))
    .action(
      action(async (out, phoneNumber: string) => {
        const { clearRefusal } = await import('../operator/oversight/clear-refusal.js')
        const wasRefused = await operate(out, ({ act }) =>
          act((tx, actor, now) => clearRefusal(tx, actor, phoneNumber, now)),
        )
        out.json({ number: phoneNumber, wasRefused })
        out.say(
          wasRefused ? `${phoneNumber} can send again.` : `No carrier refuses ${phoneNumber}.`,
        )
      }),
    )
}

async function stateHostsOf(out: Output, numbers: string[], options: { links: string }) {
  const { stateHosts } = await import('../operator/oversight/stock-numbers.js')
  const { readHosts } = await import('../operator/oversight/number-csv.js')
  const hosts = readHosts(options.links)
  if (hosts === 'unreadable') {
    throw new UsageFailure('--links must be names of carrier links, separated by commas.')
  }
  const count = await operate(out, async ({ world, act }) => {
    await refuseUnknownLinks(world.config, hosts ?? [])
    return act((tx, actor, now) => stateHosts(tx, actor, { numbers, hosts }, now))
  })
  out.json({ stated: count, hosts })
  const by = hosts === null ? 'no specific link' : hosts.join(', ')
  out.say(`${plural(count, 'number is', 'numbers are')} hosted by ${by}.`)
}

/** A number whose only host is misspelled could never send. Without a carriers file here, nobody can tell. */
async function refuseUnknownLinks(config: Config, hosts: readonly string[]): Promise<void> {
  const { readCarriersOf } = await import('../carriers/settings/read-carriers.js')
  const names = readCarriersOf(config)?.links.map(({ name }) => name)
  const unknown = names && hosts.filter((host) => !names.includes(host))
  if (!unknown || unknown.length === 0) return
  throw new UsageFailure(
    `${config.carriersFile} has no link named ${unknown.join(', ')}. Its links are ${names.join(', ')}.`,
  )
}

async function search(
  out: Output,
  options: ClientOptions & { areaCode?: string; limit: string },
): Promise<void> {
  const query = new URLSearchParams({ limit: String(readWhole('--limit', options.limit, 1)) })
  if (options.areaCode) query.set('areaCode', options.areaCode)
  const answer = await createServiceClient(options).call('GET', `/v1/number/search?${query}`)
  const numbers = answer.numbers as Record<string, unknown>[]
  out.json(numbers)
  out.table(numbers, ['number', 'location', 'monthlyPrice'])
}

async function list(out: Output, options: ClientOptions & { limit: string }): Promise<void> {
  const limit = readWhole('--limit', options.limit, 1)
  const answer = await createServiceClient(options).call('GET', `/v1/number/list?limit=${limit}`)
  const numbers = answer.numbers as Record<string, unknown>[]
  out.json(numbers)
  out.table(numbers, ['phoneNumber', 'status', 'isDefault', 'monthlyPrice', 'campaign'])
}

async function importFile(
  out: Output,
  file: string,
  options: { skipExisting?: boolean },
): Promise<void> {
  const { importNumbers } = await import('../operator/oversight/stock-numbers.js')
  const { readNumberCsv } = await import('../operator/oversight/number-csv.js')
  const csv = await readNumberCsv(readText(file))
  const { imported: count, skipped } = await operate(out, async ({ act }) => {
    const progress = out.progress('Importing', csv.rows.length)
    const imported = await act((tx, actor, now) =>
      importNumbers(tx, actor, csv, now, {
        onProgress: progress.to,
        existing: options.skipExisting ? 'skip' : 'refuse',
      }),
    )
    progress.end()
    return imported
  })
  out.json({ imported: count, ...(options.skipExisting && { skipped }) })
  out.say(`Imported ${plural(count, 'number')}.`)
  if (skipped > 0) out.say(`Skipped ${skipped.toLocaleString('en-US')} already for sale.`)
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new UsageFailure(`Cannot read ${file}: ${(error as Error).message}`)
  }
}
