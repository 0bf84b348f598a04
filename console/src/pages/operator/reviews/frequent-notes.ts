// Common reviewer notes by field, offered as text to edit, never sent unchanged without a choice.

const SAMPLE = [
  'Start the message with the brand name.',
  'Add opt-out instructions, such as “Reply STOP to opt out.”',
  'This reads like marketing. Add MARKETING to the use cases, or remove the offer.',
]

const NOTES: Record<string, readonly string[]> = {
  entityName: [
    'IRS records show a different name for this EIN. Enter the legal name exactly as it appears there.',
  ],
  displayName: ['Customers do not know the company by this name. Enter the name they know.'],
  ein: [
    'IRS records show a different name for this EIN.',
    'This EIN was not found. Check it against your IRS letter.',
  ],
  website: [
    'The site does not load or shows nothing about the company.',
    'The site names another company. Explain how the two are related.',
  ],
  privacyLink: ['The page must state that phone numbers are not shared for marketing.'],
  street: ['IRS records show a different address.'],
  email: ['Use an address at the company’s own domain.'],
  phone: ['Nobody answered at this number.'],
  usecase: ['The samples show a different use case. Choose that one, or change the samples.'],
  description: ['Describe who sends what, to whom, and how often.'],
  consentFlow: [
    'Describe where people agree (web form, checkout, keyword, paper) and what they read there.',
    'The checkbox must not be preselected. State that, and add the page’s URL.',
    'Add the link to the privacy policy that people see when they opt in.',
  ],
  screenshotUrl: ['The image does not load or does not show where people opt in.'],
  sample1: SAMPLE,
  sample2: SAMPLE,
  helpMessage: [
    'Name the brand and a way to reach it: a phone number, an email address, or a website.',
  ],
  optoutMessage: ['Name the brand, and state that you will send no more messages.'],
}

export function frequentNotes(field: string): readonly string[] {
  return NOTES[field] ?? (field.startsWith('sample') ? SAMPLE : [])
}
