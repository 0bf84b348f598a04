// `longcode campaign end`: shows what ending a campaign would do and, with --yes, ends it.

import type { Command } from 'commander'
import type { endCampaignOfAnyone } from '../operator/reviews/end-campaign.js'
import type { CanSend } from '../termination/check-target.js'
import { action, examples, operate } from './command.js'
import type { OperatorWorld } from './operator-world.js'
import type { Output } from './output.js'

export function addEndCommand(campaign: Command): void {
  campaign
    .command('end <id>')
    .description(
      'end a campaign permanently: release its numbers, cancel and refund waiting messages (operator)',
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--move-numbers-to <id>', 'move the numbers to another ACTIVE campaign of the account')
    .option('--yes', 'confirm: without it, only shows what would happen')
    .addHelpText('after', examples('campaign end cmp_01… --reason "The customer asked" --yes'))
    .action(action(endForGood))
}

interface EndOptions {
  reason: string
  moveNumbersTo?: string
  yes?: true
}

async function endForGood(out: Output, id: string, options: EndOptions): Promise<void> {
  const { reason, moveNumbersTo = null } = options
  const request = { campaignId: id, moveNumbersTo, reason }
  const result = await operate(out, (operator) =>
    options.yes ? endCampaign(operator, request) : previewEnd(operator, request),
  )
  out.json(result)
  for (const sentence of result.sentences) out.say(sentence)
  if (!options.yes) out.say('Nothing was changed. Add --yes to end the campaign.')
}

/** From the carriers file. Without one, every link can send from every number. */
async function canSendOf({ config }: OperatorWorld['world']): Promise<CanSend> {
  const { readCarriersOf } = await import('../carriers/settings/read-carriers.js')
  const { NumberHosting } = await import('../carriers/routing/number-hosting.js')
  const settings = readCarriersOf(config)
  if (settings === null) return () => true
  const hosting = new NumberHosting(settings)
  return (number, campaignId) => hosting.canSend(number, campaignId)
}

type EndRequest = Parameters<typeof endCampaignOfAnyone>[2]
type EndReport = object & { sentences: string[] }

async function previewEnd({ world }: OperatorWorld, request: EndRequest): Promise<EndReport> {
  const { getCampaignOfAnyone } = await import('../campaigns/campaign-queries.js')
  const { previewTermination } = await import('../termination/preview-termination.js')
  const { wirePreview } = await import('../termination/termination-wire.js')
  const { accountId } = await getCampaignOfAnyone(world.db, request.campaignId)
  return wirePreview(await previewTermination(world.db, accountId, request, await canSendOf(world)))
}

async function endCampaign({ world, act }: OperatorWorld, request: EndRequest): Promise<EndReport> {
  const { endCampaignOfAnyone } = await import('../operator/reviews/end-campaign.js')
  const { beginClearing } = await import('../termination/continue-terminations.js')
  const { findTermination } = await import('../termination/termination-queries.js')
  const { wireTermination } = await import('../termination/termination-wire.js')
  const canSend = await canSendOf(world)
  const { accountId, id } = await act((tx, actor, now) =>
    endCampaignOfAnyone(tx, actor, request, now, canSend),
  )
  await beginClearing(world, { accountId, campaignId: id })
  return wireTermination((await findTermination(world.db, accountId, id))!)
}
