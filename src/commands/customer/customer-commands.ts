// What an account can do from the command line. Every command sends requests to a running service, as any other
// client does, so tokens, permissions, and limits apply.

import type { Command } from 'commander'
import { addBrandCommands } from './brand-commands.js'
import { addCampaignCommands } from './campaign-commands.js'
import { addListenCommand } from './listen-command.js'
import { addMessageCommands } from './message-commands.js'
import { addMessageRecordCommands } from './message-record-commands.js'
import { addOptoutCommands } from './optout-commands.js'
import { addWebhookCommands } from './webhook-commands.js'

export function addCustomerCommands(program: Command): void {
  addBrandCommands(program)
  addCampaignCommands(program)
  addMessageCommands(program)
  addMessageRecordCommands(program)
  addOptoutCommands(program)
  addWebhookCommands(program)
  addListenCommand(program)
}
