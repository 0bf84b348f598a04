// Example data for the first-run steps: a restaurant that reminds its guests. It uses example domains, so nothing
// leads to a real business.

import type { CreateBrandBody, CreateCampaignBody } from '../../../generated/types.gen'

export const EXAMPLE_BRAND = {
  entityType: 'PRIVATE_PROFIT',
  entityName: 'Blue Fern Bistro LLC',
  displayName: 'Blue Fern Bistro',
  ein: '12-3456789',
  website: 'https://bluefern.example',
  privacyLink: 'https://bluefern.example/privacy',
  termsLink: 'https://bluefern.example/terms',
  vertical: 'HOSPITALITY',
  street: '548 Market Street',
  city: 'San Francisco',
  state: 'CA',
  postalCode: '94104',
  country: 'US',
  firstName: 'Ana',
  lastName: 'Ortiz',
  email: 'ana@bluefern.example',
  phone: '+14155550123',
} satisfies CreateBrandBody

export const EXAMPLE_CAMPAIGN = {
  usecase: 'ACCOUNT_NOTIFICATION',
  displayName: 'Table reminders',
  description:
    'Guests who book a table get a confirmation right away and a reminder on the day of their visit.',
  consentFlow:
    'Guests check a box labeled “Text me about my booking” (unchecked by default) on the form at bluefern.example/book and can reply STOP at any time.',
  sample1:
    'Blue Fern Bistro: Hi Ana, your table for 4 is set for Fri 7:30 PM. Reply C to cancel. Reply STOP to opt out.',
  sample2: 'Blue Fern Bistro: See you tonight at 7:30 PM. Reply STOP to opt out.',
} satisfies Omit<CreateCampaignBody, 'brandId'>

export const FIRST_TEXT = 'Hello from Longcode. Reply to this message to see your reply arrive.'
