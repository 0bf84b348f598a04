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

/** For any brand: reviewers, and our own check, expect its name in each sample and its address in the consent flow. */
export function exampleCampaign({
  displayName,
  website,
}: {
  displayName: string
  website: string
}) {
  const page = `${website.replace(/\/$/, '')}/book`
  return {
    usecase: 'ACCOUNT_NOTIFICATION',
    displayName: 'Table reminders',
    description:
      'Guests who book a table get a confirmation right away and a reminder on the day of their visit.',
    consentFlow: `Guests check a box labeled “Text me about my booking” (unchecked by default) on the form at ${page}, next to a link to the privacy policy. They can reply STOP at any time.`,
    sample1: `${displayName}: Hi Ana, your table for 4 is set for Fri 7:30 PM. Reply C to cancel. Reply STOP to opt out.`,
    sample2: `${displayName}: Reminder, see you tonight at 7:30 PM. Reply STOP to opt out.`,
  } satisfies Omit<CreateCampaignBody, 'brandId'>
}

export const FIRST_TEXT = 'Hello from Longcode. Reply to this message to see your reply arrive.'
