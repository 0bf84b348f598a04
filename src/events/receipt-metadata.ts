// The metadata names that record the SMPP submit that created a message, or the StatusCallback of a message sent through
// the Twilio-compatible API. The statement that moves a message reads them to decide who gets its status, so this module
// needs them, too.

/** The system ID that submitted the message. */
export const SYSTEM_KEY = 'smpp'
/** Set if a receipt was requested for the message, or for some of its parts. */
export const RECEIPT_KEY = 'smppReceipt'
export const PARTS_KEY = 'smppParts'

/** The URL for the status changes of a message. */
export const CALLBACK_KEY = 'twilioStatusCallback'
/** In place of a system ID, which is longer. */
export const TWILIO_RECEIPTS = 'twilio'

/** SQL: who gets receipts for a message with this metadata: a system ID, or `twilio`. Null: nobody. */
export function receiptsOf(metadata: string): string {
  return `case when ${metadata} ?| '{${RECEIPT_KEY},${PARTS_KEY}}' then ${metadata} ->> '${SYSTEM_KEY}'
        when ${metadata} ? '${CALLBACK_KEY}' then '${TWILIO_RECEIPTS}' end`
}
