// `longcode price …` and `audit`, and what operators do with webhooks and opt-outs of any account.

import type { Command } from 'commander'
import { action, examples, operate, readTimeOption, readWhole } from './command.js'
import { UsageFailure } from './failure.js'
import type { Output } from './output.js'

export function addOversightCommands(program: Command): void {
  addPriceCommands(program.command('price').description('prices of messages and forwarded calls'))
  program
    .command('audit')
    .description('audit log: who did what, newest first')
    .option('--account <id>', 'only actions on this account')
    .option('--act <name>', 'only this action, such as brand.verify')
    .option('--actor <name>', 'token id or name of the actor')
    .option('--subject <id>', 'id of the changed record')
    .option('--since <time>', 'at or after this time')
    .option('--until <time>', 'before this time')
    .option('--limit <count>', 'maximum number of rows', '50')
    .addHelpText('after', examples('audit --account acc_01… --since 2027-01-01T00:00:00Z'))
    .action(action(listAudit))
}

function addPriceCommands(price: Command): void {
  price
    .command('list')
    .description('past, current, and future prices')
    .option('--account <id>', 'only this account (default: default prices)')
    .action(action(listPrices))
  price
    .command('set <kind> <dollars>')
    .description(
      'set the price of an SMS segment, an MMS, or a forwarded call; `default` removes a custom price',
    )
    .option('--account <id>', 'only for this account (default: for all accounts)')
    .option('--from <time>', 'when it takes effect (default: now)')
    .addHelpText(
      'after',
      examples('price set sms 0.0065', 'price set mms default --account acc_01…'),
    )
    .action(action(setPrice))
}

/** `webhook list --operator` */
export async function listDisabled(out: Output, account: string | undefined): Promise<void> {
  const { listDisabledWebhooks } = await import('../webhooks/webhook-queries.js')
  const { wireSilentWebhook } = await import('../operator/oversight/enable-webhook.js')
  const page = { limit: 1000, skip: 0, after: null }
  const found = await operate(out, ({ world }) =>
    listDisabledWebhooks(world.db, account ?? null, page),
  )
  const webhooks = found.map(wireSilentWebhook)
  out.json(webhooks)
  out.table(webhooks, ['id', 'url', 'disabledReason', 'updatedAt', 'accountId'])
}

/** `webhook enable --operator` */
export async function enableAny(out: Output, id: string): Promise<void> {
  const { reviveWebhook, wireSilentWebhook } = await import(
    '../operator/oversight/enable-webhook.js'
  )
  const revived = await operate(out, ({ act }) =>
    act((tx, actor, now) => reviveWebhook(tx, actor, id, now)),
  )
  out.json(wireSilentWebhook(revived))
  out.say(`${id} is enabled.`)
}

/** `optout add --operator` and `optout remove --operator` */
export async function changeAnyOptout(
  out: Output,
  change: 'add' | 'remove',
  optout: { campaignId: string; recipient: string; reason: string },
): Promise<void> {
  const { addOptout, removeOptout } = await import('../operator/oversight/change-optouts.js')
  const { isE164, numberProblem } = await import('../text/phone-number.js')
  const { campaignId, recipient } = optout
  if (!isE164(recipient)) throw new UsageFailure(`"${recipient}" ${numberProblem(recipient)}.`)
  await operate(out, ({ act }) =>
    act(async (tx, actor, now) => {
      await (change === 'add' ? addOptout : removeOptout)(tx, actor, optout, now)
    }),
  )
  out.json({ campaignId, recipient, isOptedOut: change === 'add' })
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
    `Current prices: SMS $${current.sms} per segment, MMS $${current.mms}, forwarded call $${current.call}`,
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
  const request = {
    kind,
    accountId: options.account ?? null,
    amountMicros: readPrice(dollars === 'default' ? null : dollars),
    effectiveAt: readTimeOption('--from', options.from),
  } as const
  const price = await operate(out, ({ act }) =>
    act((tx, actor, now) => changePrice(tx, actor, request, now)),
  )
  const wire = wirePrice(price)
  out.json(wire)
  const whose = wire.account ?? 'everybody'
  const amount = wire.amount === null ? 'the default price' : `$${wire.amount}`
  out.say(`${kind} for ${whose}: ${amount} starting ${wire.effectiveAt}.`)
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
    since: readTimeOption('--since', options.since),
    until: readTimeOption('--until', options.until),
  }
  const found = await operate(out, ({ world }) => queries.listAudit(world.db, filter, page))
  const acts = found.slice(0, page.limit).map(wireAuditEntry)
  out.json(acts)
  const rows = acts.map(({ actor, ...act }) => ({ ...act, who: actor.name, where: actor.origin }))
  out.table(rows, ['at', 'who', 'where', 'act', 'subject', 'before', 'after'])
}
