// The email about a raised alert.

import { INSTALLATION } from '../accounts/account.js'
import { type EmailContent, emailTime } from '../mail/email.js'
import type { Alert, AlertKind } from './alert.js'

const KIND_TITLES: Readonly<Record<AlertKind, string>> = {
  network_delivery: 'Low delivery rate of a carrier',
  campaign_delivery: 'Low delivery rate of a campaign',
  error_spike: 'Many messages fail with one error',
  webhook_failing: 'A webhook is failing',
  balance_low: 'The balance is running low',
  campaign_trouble: 'A campaign needs attention',
  number_trouble: 'A number cannot send',
  link_down: 'A carrier link is down',
  link_delivery: 'Low delivery rate of a carrier link',
}

export function alertEmail(alert: Alert, accountName: string, publicUrl: string): EmailContent {
  const isOurs = alert.accountId === INSTALLATION
  const page = isOurs ? '/console/operator/health' : '/console/alerts'
  const where = isOurs ? 'the installation' : accountName
  return {
    subject: `${KIND_TITLES[alert.kind]}: ${where}`,
    paragraphs: [
      alert.whatHappened,
      `Since ${emailTime(alert.since)}.`,
      `What to do: ${alert.whatToDo}`,
    ],
    link: { url: `${publicUrl}${page}`, label: 'View alerts' },
    reason: isOurs
      ? 'You get this email because you are an operator of this installation.'
      : `You get this email because of your role in ${accountName}. An owner or admin can mute this kind of alert on the page Alerts.`,
  }
}
