// Schedules a reminder for each reservation, a day before it. Run it as often as you like: the reservation's ID is part of
// the Idempotency-Key, so each reminder is sent once.
// CAMPAIGN=cmp_… node examples/reminders/remind.mjs reservations.json

import { readFileSync } from 'node:fs'
import { longcode } from '../longcode.mjs'

const DAY_MS = 24 * 60 * 60 * 1000
const reservations = JSON.parse(readFileSync(process.argv[2], 'utf8'))

for (const { id, phone, name, at } of reservations) {
  const message = {
    campaign: process.env.CAMPAIGN,
    to: phone,
    body: `Blue Door: ${name}, your table is reserved for ${at.slice(0, 16).replace('T', ' ')}. Reply C to cancel.`,
    scheduledAt: new Date(Date.parse(at) - DAY_MS).toISOString(),
    metadata: { reservation: id },
  }
  try {
    const sent = await longcode('POST', '/v1/message/send', message, `reminder-${id}`)
    console.log(`${id}: ${sent.id}`)
  } catch (error) {
    // An opted-out guest gets no reminder. Anything else needs a look.
    if (error.code !== 'recipient_opted_out') throw error
    console.log(`${id}: opted out`)
  }
}
