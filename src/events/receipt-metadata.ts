// The metadata names that record the SMPP submit that created a message. The statement that moves a message
// reads them to decide who gets a receipt, so both this module and the SMPP server need them.

/** The system ID that submitted the message. */
export const SYSTEM_KEY = 'smpp'
/** Set if a receipt was requested for the message, or for some of its parts. */
export const RECEIPT_KEY = 'smppReceipt'
export const PARTS_KEY = 'smppParts'

/** SQL: the system ID that gets receipts for a message with this metadata; null: none. */
export function receiptsOf(metadata: string): string {
  return `case when ${metadata} ?| '{${RECEIPT_KEY},${PARTS_KEY}}' then ${metadata} ->> '${SYSTEM_KEY}' end`
}
