// The names under which a message's metadata records the SMPP submit that created it. The statement that moves a message
// reads them to decide who gets a receipt, so they are needed here and in the SMPP server.

/** The system id that submitted the message. */
export const SYSTEM_KEY = 'smpp'
/** Set if a receipt was requested for the message, or for some of its parts. */
export const RECEIPT_KEY = 'smppReceipt'
export const PARTS_KEY = 'smppParts'

/** SQL: the system id that wants receipts for a message with this metadata; null: nobody does. */
export function receiptsOf(metadata: string): string {
  return `case when ${metadata} ?| '{${RECEIPT_KEY},${PARTS_KEY}}' then ${metadata} ->> '${SYSTEM_KEY}' end`
}
