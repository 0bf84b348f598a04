// Why a message failed: the only table of error codes. The contract defines 1320, 1350, and 1360.

export interface MessageError {
  text: string
  /** For docs/errors.md: the cause and what to do about it. */
  cause: string
  remedy: string
  /**
   * Whether the customer pays if the carrier accepted the message and reported this failure later, in a receipt. A
   * message that no carrier accepted is never charged. What is not charged is refunded in the same statement.
   */
  isCharged: boolean
  /** What `isCharged` alone does not explain. */
  note?: string
}

const NOT_ACCEPTED =
  'Charged only if the carrier accepted the message and reported the failure later, in a receipt'

export const MESSAGE_ERRORS = {
  1320: {
    text: 'The daily message cap toward this carrier has been reached',
    cause: 'T-Mobile limits the messages of a campaign per day (`limits.dailyTmoCap`).',
    remedy:
      'Send the rest after midnight Pacific time, or set `holdAtDailyCap` to make messages wait.',
    isCharged: true,
    note: `${NOT_ACCEPTED}. With holdAtDailyCap, the campaign's messages wait for the next day instead`,
  },
  1330: {
    text: 'The recipient opted out before the message was sent',
    cause: 'The opt-out arrived after the message was accepted and before it was sent.',
    remedy: 'Do not message this recipient.',
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
    cause: 'The number does not exist, is not in service, or cannot receive text messages.',
    remedy: 'Check the number with its owner or remove it from your list.',
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
    cause: 'The carrier’s filter classified the text, a link in it, or the volume as spam.',
    remedy: 'Send only what the campaign is registered for. Avoid public link shorteners.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
  1375: {
    text: 'The carrier refused the message',
    cause: 'The carrier refused the message permanently, for a reason without a specific code.',
    remedy: 'Check the timeline of the message. If it happens again, contact the operator.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
  1380: {
    text: 'The handset could not be reached',
    cause: 'The phone was off or out of coverage for as long as the carrier tried.',
    remedy: 'Send again later.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
  1390: {
    text: 'The media could not be fetched',
    cause: 'A URL in `mediaUrls` did not return a file, or redirected more than three times.',
    remedy:
      'Check that the URL is publicly reachable without signing in, or upload the file with `POST /v1/media`.',
    isCharged: false,
  },
  1391: {
    text: 'The media is too large (maximum 10 MB per file)',
    cause:
      'A file is over 10 MB, or all files together exceed the carrier’s limit and cannot be made smaller.',
    remedy: 'Send smaller files, or put a link in the text.',
    isCharged: false,
  },
  1392: {
    text: 'The media type cannot be sent',
    cause:
      'Phones do not support the type of the file (HEIC pictures, for example), or its content does not match its type.',
    remedy: 'Use a common image, audio, video, or document type: JPEG or PNG for pictures.',
    isCharged: false,
  },
  1400: {
    text: 'The message could not be sent within its validity',
    cause:
      'The message waited for a limit, the carrier, or its link for longer than `validitySeconds` (4 hours by default).',
    remedy: 'Send it again if it is still useful. Spread large sends over time.',
    isCharged: false,
  },
  1410: {
    text: 'The message was canceled',
    cause: 'It was canceled before it was sent, or its campaign has ended.',
    remedy: 'Nothing to do.',
    isCharged: false,
  },
  1499: {
    text: 'The carrier gave an unknown reason',
    cause: 'The carrier reported a failure with an unknown code.',
    remedy: 'Check the timeline of the message and contact the operator.',
    isCharged: true,
    note: NOT_ACCEPTED,
  },
} as const satisfies Record<number, MessageError>

/** The text of 1410 when the campaign ended and nobody canceled this message. */
export const ENDED_TEXT = `${MESSAGE_ERRORS[1410].text}: its campaign has ended`

export type ErrorCode = keyof typeof MESSAGE_ERRORS

/** The carrier refuses the number that the message is from. */
export const SENDER_REFUSED = 1345 satisfies ErrorCode

function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(MESSAGE_ERRORS, code)
}

/** A code that is not in the table comes from the carrier and is stored as unknown. */
export function knownCode(code: number): ErrorCode {
  return isErrorCode(code) ? code : 1499
}
