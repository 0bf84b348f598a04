// Prompts for the settings of a provider link, repeated until the answer is valid.

import type { SetupField } from '../../carriers/providers/provisioning.js'
import { isE164 } from '../../text/phone-number.js'
import type { Asker } from './ask.js'

export async function askPhone(asker: Asker): Promise<string | null> {
  for (let hint = 'leave empty to skip'; ; hint = 'such as +14155550123; leave empty to skip') {
    const answer = await asker.ask(`Phone number for a test message (${hint})`)
    if (answer === '') return null
    if (isE164(answer)) return answer
  }
}

export async function askField(field: SetupField, asker: Asker): Promise<string> {
  const { question, isSecret, pattern, expects } = field
  for (let hint = ''; ; hint = expects ? ` (${expects})` : '') {
    const answer = await (isSecret ? asker.askHidden : asker.ask)(`${question}${hint}`)
    if (answer !== '' && (pattern?.test(answer) ?? true)) return answer
  }
}
