// Why a message failed: the one table of codes. 1320, 1350 and 1360 are the contract's.

export interface MessageError {
  text: string
  /** For docs/errors.md: why, and what to do about it. */
  cause: string
  remedy: string
  /**
   * Whether the customer pays if the carrier accepted the message and reported this failure later, in a receipt. A
   * message that no carrier accepted is never charged. What is not charged is refunded in the same statement.
   */
  isCharged: boolean
  /** What `isCharged` alone does not tell. */
  note?: string
}

const NOT_ACCEPTED =
  'Charged only if the carrier accepted the message and reported the failure later, in a receipt'

export const MESSAGE_ERRORS = {
  1320: {
    text: 'The daily message cap toward this carrier has been reached',
    cause: 'T-Mobile takes only so many messages of a campaign a day (`limits.dailyTmoCap`).',
    remedy: 'Send the rest after midnight Pacific time, or set `holdAtDailyCap` to have it wait.',
    isCharged: true,
    note: `${NOT_ACCEPTED}. With holdAtDailyCap the campaign's messages wait for the next day instead`,
  },
  1330: {
    text: 'The recipient opted out before the message was sent',
    cause: 'The opt-out came between the send and the hand-over to the carrier.',
    remedy: 'Do not write to the recipient.',
    isCharged: false,
  },
  1340: {
    text: 'The campaign was not active when the message was due',
    cause: 'The campaign was suspended while the message waited.',
    remedy: 'Send again once the campaign is ACTIVE.',
    isCharged: false,
  },
  1345: {
    text: 'The carrier does not accept messages from this number',
    cause:
      'The carrier refuses the sending number, for example because it is not enabled for messaging there. Other numbers are not affected.',
    remedy: 'Send from another number, or ask the operator to fix this one at the carrier.',
    isCharged: false,
  },
  1350: {
    text: 'The recipient number is invalid or cannot receive text messages',
    cause: 'The number does not exist, is not in service, or takes no text messages.',
    remedy: 'Check the number with its owner, and take it off the list.',
    isCharged: false,
  },
  1360: {
    text: 'The recipient is a landline that cannot receive text messages',
    cause: 'The number belongs to a landline.',
    remedy: 'Ask for a mobile number.',
    isCharged: false,
  },
  1370: {
    text: 'The carrier filtered the message as spam',
    cause: 'The carrier’s filter took the text, a link in it, or the volume for spam.',
    remedy: 'Send what the campaign was registered for; avoid link shorteners that others share.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
  1375: {
    text: 'The carrier refused the message',
    cause: 'The carrier said no for good, and gave a reason that has no code of its own.',
    remedy: 'Look at the timeline of the message; ask the operator if it happens again.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
  1380: {
    text: 'The handset could not be reached',
    cause: 'The phone was off or out of reach for as long as the carrier tried.',
    remedy: 'Send again later.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
  1390: {
    text: 'The media could not be fetched',
    cause:
      'An address in `mediaUrls` did not answer with a file, or redirected more than three times.',
    remedy:
      'Check that the address can be reached from outside without signing in, or upload the file with `POST /v1/media`.',
    isCharged: false,
  },
  1391: {
    text: 'The media is too big: at most 10 MB per file',
    cause:
      'A file is over 10 MB, or all files together are over the limit of the carrier and cannot be made smaller.',
    remedy: 'Send smaller files, or a link in the text.',
    isCharged: false,
  },
  1392: {
    text: 'The media has a type that cannot be sent',
    cause:
      'By its content the file is of a type that phones do not take (HEIC pictures, for example), or not what it claims to be.',
    remedy: 'Use a common type of image, audio, video or document: JPEG or PNG for pictures.',
    isCharged: false,
  },
  1400: {
    text: 'The message could not be sent within its validity',
    cause:
      'A limit, the carrier or its link kept it waiting for longer than `validitySeconds`, which is four hours unless the send says otherwise.',
    remedy: 'Send again if it is still worth sending; spread large sends over time.',
    isCharged: false,
  },
  1410: {
    text: 'The message was cancelled',
    cause: 'It was cancelled before it went out, or its campaign has ended.',
    remedy: 'Nothing needs to be done.',
    isCharged: false,
  },
  1499: {
    text: 'The carrier gave an unknown reason',
    cause: 'The carrier reported a failure with a code that nobody has explained.',
    remedy: 'Look at the timeline of the message; tell the operator.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
} as const satisfies Record<number, MessageError>

/** What 1410 says where nobody cancelled this very message. */
export const ENDED_TEXT = `${MESSAGE_ERRORS[1410].text}: its campaign has ended`

export type ErrorCode = keyof typeof MESSAGE_ERRORS

function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(MESSAGE_ERRORS, code)
}

/** A code that we do not know is the carrier's: kept as unknown, never lost. */
export function knownCode(code: number): ErrorCode {
  return isErrorCode(code) ? code : 1499
}
