// What reviewers write again and again, by field: offered as text to edit, never sent as it stands.

const SAMPLE = [
  'Begin the message with the brand’s name.',
  'Add how to opt out, such as “Reply STOP to opt out.”',
  'This reads like marketing: add MARKETING to the use cases, or leave the offer out.',
]

const NOTES: Record<string, readonly string[]> = {
  entityName: [
    'The tax records know another name for this EIN: give the legal name as it stands there.',
  ],
  displayName: ['This is not how customers know the company: give the name they see.'],
  ein: [
    'The tax records know another name for it.',
    'This number is not known: check it against the letter of the tax office.',
  ],
  website: [
    'The site does not open, or shows nothing of the company.',
    'The site names another company: say how the two belong together.',
  ],
  privacyLink: ['The page must say that phone numbers are not passed on for marketing.'],
  street: ['The tax records know another address.'],
  email: ['Use an address of the company’s own domain.'],
  phone: ['Nobody could be reached at this number.'],
  usecase: ['The samples show another use case: choose that one, or change the samples.'],
  description: ['Say who sends, to whom, what about and how often.'],
  consentFlow: [
    'Say where people agree (web form, checkout, keyword, paper) and what they read there.',
    'The box must be unticked at first: say so, and give the page’s address.',
    'Add the link to the privacy policy that people see where they agree.',
  ],
  screenshotUrl: ['The picture does not open, or does not show where people agree.'],
  sample1: SAMPLE,
  sample2: SAMPLE,
  helpMessage: ['Name the brand, and a way to reach it: a phone number, an address or a site.'],
  optoutMessage: ['Name the brand, and say that no more messages will come.'],
}

export function frequentNotes(field: string): readonly string[] {
  return NOTES[field] ?? (field.startsWith('sample') ? SAMPLE : [])
}
