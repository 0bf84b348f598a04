// What a message's error means for whoever sent it, and what to do: beside the API's own text.

interface ErrorDescription {
  headline: string
  remedy: string
}

const WORDS: Record<number, ErrorDescription> = {
  1320: {
    headline: 'T-Mobile’s daily cap for this campaign is used up',
    remedy: 'It resets at midnight Pacific. “Hold at daily cap” waits for it instead of failing.',
  },
  1330: {
    headline: 'This person opted out before it was sent',
    remedy: 'Only a START from that phone, or a recorded consent, opens it again.',
  },
  1340: {
    headline: 'The campaign was not active when this was due',
    remedy: 'See the campaign: it may be suspended or ended.',
  },
  1345: {
    headline: 'The carrier does not accept messages from this number',
    remedy: 'Send from another number, or ask your operator to fix this one.',
  },
  1350: { headline: 'This number can’t receive texts', remedy: 'Take it off your list.' },
  1360: { headline: 'This is a landline', remedy: 'Ask for a mobile number.' },
  1370: {
    headline: 'The carrier filtered it as spam',
    remedy: 'Common causes: shortened links, text unlike the approved samples.',
  },
  1375: { headline: 'The carrier refused it', remedy: 'The timeline has the carrier’s words.' },
  1380: { headline: 'The phone could not be reached', remedy: 'Off or out of range. Try later.' },
  1390: { headline: 'The media could not be fetched', remedy: 'Check the address and send again.' },
  1391: { headline: 'The media is too big', remedy: 'Send a smaller file.' },
  1392: {
    headline: 'The media is of a type that can’t be sent',
    remedy: 'Pictures, sound and video of the common types can.',
  },
  1400: {
    headline: 'Given up after 4 h or 20 attempts',
    remedy: 'The carrier kept asking us to slow down.',
  },
  1410: { headline: 'Cancelled before sending', remedy: 'Its price was refunded.' },
}

export function describeError(code: number): ErrorDescription | null {
  return WORDS[code] ?? null
}
