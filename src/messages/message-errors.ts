// Why a message failed: the one table of codes. 1320, 1350 and 1360 are the contract's.

export interface MessageError {
  text: string
  /** Whether the customer pays all the same. What is not charged is given back in the same statement. */
  isCharged: boolean
}

export const MESSAGE_ERRORS = {
  1320: { text: 'The daily message cap toward this carrier has been reached', isCharged: true },
  1330: { text: 'The recipient opted out before the message was sent', isCharged: false },
  1340: { text: 'The campaign was not active when the message was due', isCharged: false },
  1350: {
    text: 'The recipient number is invalid or cannot receive text messages',
    isCharged: false,
  },
  1360: { text: 'The recipient is a landline that cannot receive text messages', isCharged: false },
  1370: { text: 'The carrier filtered the message as spam', isCharged: true },
  1375: { text: 'The carrier refused the message', isCharged: true },
  1380: { text: 'The handset could not be reached', isCharged: true },
  1390: { text: 'The media could not be fetched', isCharged: false },
  1391: { text: 'The media is too big: at most 5 MB in all', isCharged: false },
  1392: { text: 'The media has a type that cannot be sent', isCharged: false },
  1400: { text: 'The carrier took the message in none of its tries', isCharged: false },
  1410: { text: 'The message was cancelled', isCharged: false },
  1499: { text: 'The carrier gave an unknown reason', isCharged: true },
} as const satisfies Record<number, MessageError>

export type ErrorCode = keyof typeof MESSAGE_ERRORS

export function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(MESSAGE_ERRORS, code)
}

/** A code that we do not know is the carrier's: kept as unknown, never lost. */
export function knownCode(code: number): ErrorCode {
  return isErrorCode(code) ? code : 1499
}
