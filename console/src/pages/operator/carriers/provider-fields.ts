// What each provider is, what is asked for its account, and where there one finds it.

export type ProviderKind = 'telnyx' | 'bandwidth' | 'twilio'

export interface AccountField {
  name: string
  label: string
  help: string
  /** Typed unseen, never shown again. */
  isSecret?: true
  isOptional?: true
}

interface ProviderWords {
  title: string
  /** In a few words, for whoever chooses. */
  about: string
  container: string
  fields: readonly AccountField[]
}

export const PROVIDER_WORDS: Record<ProviderKind, ProviderWords> = {
  telnyx: {
    title: 'Telnyx',
    about: 'One key. Numbers, messages and registration by one API.',
    container: 'messaging profile',
    fields: [
      {
        ...{ name: 'apiKey', label: 'API key', isSecret: true },
        help: 'portal.telnyx.com, API Keys. Begins with KEY.',
      },
    ],
  },
  bandwidth: {
    title: 'Bandwidth',
    about: 'An account by contract, with a location for the numbers.',
    container: 'application',
    fields: [
      { name: 'accountId', label: 'Account id', help: 'The number in the dashboard’s address.' },
      { name: 'user', label: 'API user', help: 'dashboard.bandwidth.com, Account, API users.' },
      {
        ...{ name: 'password', label: 'Password of the API user', isSecret: true },
        help: 'One with the roles for messaging and configuration.',
      },
      {
        ...{ name: 'siteId', label: 'Sub-account id', isOptional: true },
        help: 'With the location: it is tied to the application for you.',
      },
      {
        ...{ name: 'locationId', label: 'Location id', isOptional: true },
        help: 'The location (SIP peer) that holds the numbers.',
      },
    ],
  },
  twilio: {
    title: 'Twilio',
    about: 'The account’s SID and its token.',
    container: 'messaging service',
    fields: [
      {
        name: 'accountSid',
        label: 'Account SID',
        help: 'console.twilio.com, Account Info. AC and 32 digits.',
      },
      {
        ...{ name: 'authToken', label: 'Auth token', isSecret: true },
        help: 'Beside it. Twilio signs its calls with it.',
      },
    ],
  },
}
