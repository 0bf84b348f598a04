// `longcode price …`, `webhook …`, `optout …` and `audit`: the operator's other duties.

import type { Command } from 'commander'
import { action, examples, operate, readMoment, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

export function addOversightCommands(program: Command): void {
  addPriceCommands(program.command('price').description('what messages and forwarded calls cost'))
  addWebhookCommands(program.command('webhook').description('disabled webhooks'))
  addOptoutCommands(program.command('optout').description('opt-outs of customers’ campaigns'))
  program
    .command('audit')
    .description('who did what, newest first')
    .option('--account <id>', 'acts that concern this account')
    .option('--act <name>', 'such as brand.verify')
    .option('--actor <name>', 'a token’s id, or an actor’s name')
    .option('--subject <id>', 'the record that was acted on')
    .option('--since <time>', 'from then on')
    .option('--until <time>', 'before then')
    .option('--limit <count>', 'how many at most', '50')
    .addHelpText('after', examples('audit --account acc_01… --since 2027-01-01T00:00:00Z'))
    .action(action(listAudit))
}

function addPriceCommands(price: Command): void {
  price
    .command('list')
    .description('prices: now, before and to come')
    .option('--account <id>', 'of one account (default: everybody’s)')
    .action(action(listPrices))
  price
    .command('set <kind> <dollars>')
    .description(
      'set the price of an sms segment, an mms, or a forwarded call; `default` restores the common one',
    )
    .option('--account <id>', 'for one account (default: for everybody)')
    .option('--from <time>', 'from then on (default: now)')
    .addHelpText(
      'after',
      examples('price set sms 0.0065', 'price set mms default --account acc_01…'),
    )
    .action(action(setPrice))
}

function addWebhookCommands(webhook: Command): void {
  webhook
    .command('list')
    .description('list disabled webhooks')
    .option('--account <id>', 'of one account')
    .action(
      action(async (out, { account }: { account?: string }) => {
        const { listDisabledWebhooks } = await import('../webhooks/webhook-queries.js')
        const { wireSilentWebhook } = await import('../operator/oversight/enable-webhook.js')
        const page = { limit: 1000, skip: 0, after: null }
        const found = await operate(out, ({ world }) =>
          listDisabledWebhooks(world.db, account ?? null, page),
        )
        const webhooks = found.map(wireSilentWebhook)
        out.json(webhooks)
        out.table(webhooks, ['id', 'url', 'disabledReason', 'updatedAt', 'accountId'])
      }),
    )
  webhook
    .command('enable <id>')
    .description('enable a webhook again')
    .action(
      action(async (out, id: string) => {
        const { reviveWebhook, wireSilentWebhook } = await import(
          '../operator/oversight/enable-webhook.js'
        )
        const revived = await operate(out, ({ act }) =>
          act((tx, actor, now) => reviveWebhook(tx, actor, id, now)),
        )
        out.json(wireSilentWebhook(revived))
        out.say(`${id} is on.`)
      }),
    )
}

function addOptoutCommands(optout: Command): void {
  for (const [name, done] of [
    ['add', 'opted out'],
    ['remove', 'opted in again'],
  ] as const) {
    optout
      .command(`${name} <campaign> <number>`)
      .description(name === 'add' ? 'opt a recipient out' : 'opt a recipient in again')
      .requiredOption('--reason <text>', 'why: both logs keep it')
      .addHelpText('after', examples(`optout ${name} cmp_01… +14155550123 --reason "by mail"`))
      .action(
        action(async (out, campaignId: string, number: string, { reason }) => {
          const { addOptout, removeOptout } = await import(
            '../operator/oversight/change-optouts.js'
          )
          const { isE164, numberProblem } = await import('../text/phone-number.js')
          if (!isE164(number)) throw new UsageFailure(`"${number}" ${numberProblem(number)}.`)
          const wanted = { campaignId, recipient: number, reason }
          await operate(out, ({ act }) =>
            act(async (tx, actor, now) => {
              await (name === 'add' ? addOptout : removeOptout)(tx, actor, wanted, now)
            }),
          )
          out.json({ campaignId, recipient: number, isOptedOut: name === 'add' })
          out.say(`${number} is ${done}.`)
        }),
      )
  }
}

async function listPrices(out: Output, { account }: { account?: string }): Promise<void> {
  const { listOwnPrices, pricesAt } = await import('../ledger/price-book.js')
  const queries = await import('../ledger/price-queries.js')
  const { wirePrice } = await import('../operator/accounts/set-price.js')
  const { toDollars } = await import('../kit/money.js')
  const { prices, now } = await operate(out, async ({ world }) => {
    const all = await queries.listPrices(world.db, account ?? '*')
    return {
      prices: await listOwnPrices(world.db, account ?? null),
      now: pricesAt(all, world.config, world.clock.now()),
    }
  })
  const current = {
    sms: toDollars(now.smsPriceMicros),
    mms: toDollars(now.mmsPriceMicros),
    call: toDollars(now.callPriceMicros),
  }
  out.json({ now: current, prices: prices.map(wirePrice) })
  out.say(
    `Now: SMS $${current.sms} a segment, MMS $${current.mms}, forwarded call $${current.call}`,
  )
  if (prices.length > 0) out.table(prices.map(wirePrice), ['kind', 'amount', 'effectiveAt'])
}

async function setPrice(
  out: Output,
  kind: string,
  dollars: string,
  options: { account?: string; from?: string },
): Promise<void> {
  if (kind !== 'sms' && kind !== 'mms' && kind !== 'call') {
    throw new UsageFailure('The kind must be sms, mms, or call.')
  }
  const { changePrice, readPrice, wirePrice } = await import('../operator/accounts/set-price.js')
  const wanted = {
    kind,
    accountId: options.account ?? null,
    amountMicros: readPrice(dollars === 'default' ? null : dollars),
    effectiveAt: readMoment('--from', options.from),
  } as const
  const price = await operate(out, ({ act }) =>
    act((tx, actor, now) => changePrice(tx, actor, wanted, now)),
  )
  const wire = wirePrice(price)
  out.json(wire)
  const whose = wire.account ?? 'everybody'
  const amount = wire.amount === null ? 'the common price' : `$${wire.amount}`
  out.say(`${kind} for ${whose}: ${amount} from ${wire.effectiveAt} on.`)
}

interface AuditOptions {
  account?: string
  act?: string
  actor?: string
  subject?: string
  since?: string
  until?: string
  limit: string
}

async function listAudit(out: Output, options: AuditOptions): Promise<void> {
  const queries = await import('../accounts/audit-queries.js')
  const { wireAuditEntry } = await import('../operator/accounts/account-wire.js')
  const page = { limit: readWhole('--limit', options.limit, 1), skip: 0, after: null }
  const filter = {
    accountId: options.account ?? null,
    act: options.act ?? null,
    actor: options.actor ?? null,
    subject: options.subject ?? null,
    since: readMoment('--since', options.since),
    until: readMoment('--until', options.until),
  }
  const found = await operate(out, ({ world }) => queries.listAudit(world.db, filter, page))
  const acts = found.slice(0, page.limit).map(wireAuditEntry)
  out.json(acts)
  const rows = acts.map(({ actor, ...act }) => ({ ...act, who: actor.name, where: actor.origin }))
  out.table(rows, ['at', 'who', 'where', 'act', 'subject', 'before', 'after'])
}
