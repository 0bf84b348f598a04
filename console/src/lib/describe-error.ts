// What a message's error code means for the sender and what to do, in addition to the API's own text.

interface ErrorDescription {
  /** For counts: 12 can’t receive texts. */
  name: string
  headline: string
  remedy: string
}

const WORDS: Record<number, ErrorDescription> = {
  1320: {
    name: 'over the daily cap',
    headline: 'T-Mobile’s daily cap for this campaign was reached',
    remedy:
      'The cap resets at midnight Pacific. To hold messages instead, choose “Hold” in the campaign’s carrier limits.',
  },
  1330: {
    name: 'opted out',
    headline: 'The recipient opted out before the message was sent',
    remedy:
      'Before you can message them again, the recipient must text START or you must record consent.',
  },
  1340: {
    name: 'campaign not active',
    headline: 'The campaign was not active when this message was due',
    remedy: 'Check the campaign. It may be suspended or ended.',
  },
  1345: {
    name: 'sender not accepted',
    headline: 'The carrier does not accept messages from this number',
    remedy: 'Send from another number, or ask your operator to fix this one.',
  },
  1350: {
    name: 'can’t receive texts',
    headline: 'This number can’t receive texts',
    remedy: 'Remove it from your list.',
  },
  1360: {
    name: 'landline',
    headline: 'This is a landline',
    remedy: 'Ask for a mobile number.',
  },
  1370: {
    name: 'filtered as spam',
    headline: 'The carrier filtered this message as spam',
    remedy: 'Common causes are shortened links and texts that differ from the approved samples.',
  },
  1375: {
    name: 'rejected by the carrier',
    headline: 'The carrier rejected this message',
    remedy: 'The timeline has the carrier’s reason.',
  },
  1380: {
    name: 'unreachable',
    headline: 'The phone was unreachable',
    remedy: 'It is off or out of range. Try again later.',
  },
  1390: {
    name: 'media not fetched',
    headline: 'The media could not be fetched',
    remedy: 'Check the URL and send again.',
  },
  1391: {
    name: 'media too large',
    headline: 'The media file is too large',
    remedy: 'Send a smaller file.',
  },
  1392: {
    name: 'media type not supported',
    headline: 'The media type is not supported',
    remedy: 'Send a common image, audio, or video format.',
  },
  1400: {
    name: 'expired',
    headline: 'Expired before it could be sent',
    remedy:
      'It waited too long because of a limit or the carrier. Send it again if it is still useful.',
  },
  1410: {
    name: 'canceled',
    headline: 'Canceled before sending',
    remedy: 'Send it again if it is still needed.',
  },
}

export function describeError(code: number): ErrorDescription | null {
  return WORDS[code] ?? null
}
