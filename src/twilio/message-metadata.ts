// What a message remembers of the Twilio API, in its metadata. Customers see it there, like the marks of SMPP.

import { CALLBACK_KEY } from '../events/receipt-metadata.js'

export const METADATA = {
  /** The URL for its status changes. */
  statusCallback: CALLBACK_KEY,
  /** Sent by TwiML, in reply to a message. */
  reply: 'twilioReply',
  /** Deleted through the Twilio API, which no longer shows it. */
  deleted: 'twilioDeleted',
} as const
